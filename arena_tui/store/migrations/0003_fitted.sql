-- The fitted ratings with which a group ended, so that a later fit of the same journal can be compared.

CREATE TABLE fitted (
    scope   TEXT NOT NULL REFERENCES groups (id),
    entrant TEXT NOT NULL,
    pos     INTEGER NOT NULL,  -- the journal position after which the fit was made
    rating  REAL NOT NULL,
    low     REAL,  -- NULL: nothing bounds the rating
    high    REAL,
    PRIMARY KEY (scope, entrant)
) STRICT, WITHOUT ROWID;
