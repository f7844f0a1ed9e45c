-- The first schema of a run's database. One file is one run. `pos` numbers plans, outcomes and
-- interventions in one gapless sequence, in the order in which the formats were fed.
-- Tables with long texts keep a rowid: a text in a WITHOUT ROWID table thins out the tree above it.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE groups (
    id          TEXT PRIMARY KEY,
    ord         INTEGER NOT NULL UNIQUE,
    prompt      TEXT,
    category    TEXT,
    criteria    TEXT NOT NULL DEFAULT '{}',
    meta        TEXT NOT NULL DEFAULT '{}',
    state       TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed', 'skipped')),
    stop_reason TEXT,
    stop_detail TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE TABLE candidates (
    group_id   TEXT NOT NULL REFERENCES groups (id),
    id         TEXT NOT NULL,
    ord        INTEGER NOT NULL,
    system     TEXT,
    title      TEXT NOT NULL,
    text       TEXT NOT NULL,
    chars      INTEGER NOT NULL,
    class      TEXT,
    state      TEXT NOT NULL CHECK (state IN ('draft', 'reviewed', 'in_tournament', 'pinned',
                                              'rejected', 'quarantined', 'retired')),
    initial_state TEXT NOT NULL CHECK (initial_state IN ('draft', 'reviewed', 'in_tournament', 'pinned',
                                                         'rejected', 'quarantined', 'retired')),
    added_pos  INTEGER,  -- pos of the intervention that added it; NULL: there from the start
    twin_of    TEXT,
    parent_ids TEXT NOT NULL DEFAULT '[]',
    generation INTEGER NOT NULL DEFAULT 0,
    rating     REAL,
    strength   REAL,
    embedding  BLOB,  -- little-endian doubles
    review     TEXT,
    meta       TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (group_id, id),
    UNIQUE (group_id, ord)
) STRICT;

CREATE TABLE ratings (
    scope          TEXT NOT NULL,
    entrant        TEXT NOT NULL,
    rating         REAL NOT NULL,
    matches_played INTEGER NOT NULL,
    PRIMARY KEY (scope, entrant)
) STRICT, WITHOUT ROWID;

CREATE TABLE steps (
    id        INTEGER PRIMARY KEY,
    pos       INTEGER NOT NULL UNIQUE,
    kind      TEXT NOT NULL CHECK (kind IN ('match')),
    group_id  TEXT NOT NULL REFERENCES groups (id),
    group_seq INTEGER NOT NULL,
    payload   TEXT NOT NULL,
    state     TEXT NOT NULL CHECK (state IN ('planned', 'applied')),
    UNIQUE (group_id, group_seq)
) STRICT;

CREATE TABLE tournament_matches (
    step         INTEGER PRIMARY KEY REFERENCES steps (id),
    id           TEXT NOT NULL UNIQUE,
    group_id     TEXT NOT NULL,
    seq          INTEGER NOT NULL,
    hyp_a        TEXT NOT NULL,
    hyp_b        TEXT NOT NULL,
    mode         TEXT NOT NULL CHECK (mode IN ('pairwise', 'debate', 'score')),
    winner       TEXT CHECK (winner IN ('a', 'b', 'draw')),  -- in force; NULL: void, or not applied
    elo_a_before REAL,
    elo_a_after  REAL,
    elo_b_before REAL,
    elo_b_after  REAL,
    rationale    TEXT NOT NULL DEFAULT '',
    similarity   REAL,
    round        INTEGER,
    applied_no   INTEGER,
    p_a          REAL,
    flags        TEXT NOT NULL DEFAULT '[]',
    void_reason  TEXT,
    order_consistent INTEGER,
    overruled_by INTEGER,  -- pos of the intervention
    applied_at   REAL,     -- seconds since the epoch, for people; nothing is ordered by it
    FOREIGN KEY (group_id, hyp_a) REFERENCES candidates (group_id, id),
    FOREIGN KEY (group_id, hyp_b) REFERENCES candidates (group_id, id)
) STRICT;
CREATE UNIQUE INDEX matches_applied ON tournament_matches (group_id, applied_no)
    WHERE applied_no IS NOT NULL;

CREATE TABLE comparisons (
    id          INTEGER PRIMARY KEY,
    step        INTEGER NOT NULL REFERENCES steps (id),
    orientation TEXT NOT NULL CHECK (orientation IN ('ab', 'ba')),
    verdict     TEXT NOT NULL CHECK (verdict IN ('first', 'second', 'draw', 'invalid')),
    p_first     REAL,
    reason      TEXT NOT NULL DEFAULT '',
    flags       TEXT NOT NULL DEFAULT '[]',
    UNIQUE (step, orientation)
) STRICT;

CREATE TABLE calls (
    id            INTEGER PRIMARY KEY,
    step          INTEGER NOT NULL REFERENCES steps (id),
    orientation   TEXT NOT NULL CHECK (orientation IN ('ab', 'ba')),
    request_hash  TEXT NOT NULL DEFAULT '',
    sample        INTEGER NOT NULL DEFAULT 0,
    attempt       INTEGER NOT NULL DEFAULT 1,
    turn          INTEGER NOT NULL DEFAULT 0,
    member        INTEGER NOT NULL DEFAULT 0,  -- of a panel
    model         TEXT NOT NULL DEFAULT '',    -- as the server calls it
    reply         TEXT NOT NULL,
    logprobs      TEXT,  -- JSON: [[token, [[alternative, ln p], ...]], ...] of the tokens that matter
    stop_reason   TEXT NOT NULL DEFAULT '',
    failure       TEXT NOT NULL DEFAULT '',
    input_tokens  INTEGER NOT NULL DEFAULT 0,
    cached_input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cost          REAL,  -- USD; NULL when the price is unknown
    from_cache    INTEGER NOT NULL DEFAULT 0,
    seconds       REAL NOT NULL DEFAULT 0,  -- from the first byte sent to the last received
    state         TEXT NOT NULL CHECK (state IN ('done', 'failed')),
    UNIQUE (step, orientation, member, turn, sample, attempt)
) STRICT;

CREATE TABLE elo_journal (
    pos        INTEGER PRIMARY KEY,
    match_id   TEXT NOT NULL UNIQUE REFERENCES tournament_matches (id),
    scope      TEXT NOT NULL,
    expected_a REAL,
    k          REAL,
    results    TEXT NOT NULL  -- as played: an overrule leaves it
        CHECK (results IN ('a', 'b', 'draw', 'void'))
) STRICT;

CREATE TABLE snapshots (
    group_id   TEXT NOT NULL REFERENCES groups (id),
    applied_no INTEGER NOT NULL,
    top        TEXT NOT NULL,  -- JSON: [[id, rating], ...], best first
    stable     INTEGER NOT NULL,
    PRIMARY KEY (group_id, applied_no)
) STRICT, WITHOUT ROWID;

CREATE TABLE interventions (
    pos           INTEGER PRIMARY KEY,
    kind          TEXT NOT NULL,
    group_id      TEXT,
    after_applied INTEGER NOT NULL,  -- outcomes applied (in the group, or in the run) when it took effect
    payload       TEXT NOT NULL,
    origin        TEXT NOT NULL DEFAULT '',  -- cli, resume, or the id of the request in the inbox
    at            REAL NOT NULL
) STRICT;

CREATE TABLE reservations (
    id     INTEGER PRIMARY KEY,
    step   INTEGER NOT NULL REFERENCES steps (id),
    orientation TEXT NOT NULL CHECK (orientation IN ('ab', 'ba')),
    usd    REAL NOT NULL,
    tokens INTEGER NOT NULL,
    stake_usd    REAL NOT NULL,     -- the part that calls under way may cost: what a crash can lose
    stake_tokens INTEGER NOT NULL,
    state  TEXT NOT NULL CHECK (state IN ('open', 'settled', 'lost'))
) STRICT;
CREATE INDEX reservations_open ON reservations (step, orientation) WHERE state = 'open';

CREATE TABLE events (
    id      INTEGER PRIMARY KEY,
    pos     INTEGER NOT NULL,  -- the journal position after which it happened
    kind    TEXT NOT NULL,
    payload TEXT NOT NULL,
    at      REAL NOT NULL
) STRICT;
