-- Who made each call, for transcripts: as the judge names the speaker, and the text it speaks for.
-- Flags stand behind the reasons, which may be long: without an index every look for them reads all of those.

ALTER TABLE calls ADD COLUMN speaker TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN slot INTEGER CHECK (slot IN (1, 2));  -- NULL: the judge

CREATE INDEX comparisons_flagged ON comparisons (step, flags) WHERE flags <> '[]';
