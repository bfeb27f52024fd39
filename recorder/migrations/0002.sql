-- Derived: where the values in arguments came from.
ALTER TABLE sessions ADD COLUMN value_count     INTEGER NOT NULL DEFAULT 0;  -- rows of provenance_values
ALTER TABLE sessions ADD COLUMN unsourced       INTEGER NOT NULL DEFAULT 0;  -- arguments from nowhere: synthesized
ALTER TABLE sessions ADD COLUMN left_out        INTEGER NOT NULL DEFAULT 0;  -- values that the bounds on harvesting left out
ALTER TABLE sessions ADD COLUMN derived_version INTEGER NOT NULL DEFAULT 0;  -- of the rules by which it was derived; 0: older than provenance

ALTER TABLE calls ADD COLUMN link     TEXT NOT NULL DEFAULT '';    -- how it continues another call: round, task, connect
ALTER TABLE calls ADD COLUMN of_seq   INTEGER;                     -- the call that it continues
ALTER TABLE calls ADD COLUMN of_idx   INTEGER;
ALTER TABLE calls ADD COLUMN rendered TEXT NOT NULL DEFAULT '';    -- list_issues({ status: 'open' })
ALTER TABLE calls ADD COLUMN partial  INTEGER NOT NULL DEFAULT 0;  -- 1: its result was harvested in part

-- Values that successful results gave, kept in the order in which they are read. No index by value: it would double the cost of the table.
CREATE TABLE provenance_values (
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq        INTEGER NOT NULL,             -- of the frame with the result
  idx        INTEGER NOT NULL,
  n          INTEGER NOT NULL,             -- counts the session's values in the order in which they were found
  call_seq   INTEGER NOT NULL,             -- the call that produced it
  call_idx   INTEGER NOT NULL,
  key        TEXT NOT NULL,                -- the member that holds it; '' in plain text
  entity     TEXT NOT NULL,                -- what it identifies; '' when that is unknown
  value      TEXT NOT NULL,                -- JSON
  path       TEXT NOT NULL,                -- in the result: items[0].id
  echo       INTEGER NOT NULL DEFAULT 0,   -- 1: repeats an argument of its own call that came from nowhere
  PRIMARY KEY (session_id, seq, idx, n)
) STRICT, WITHOUT ROWID;

-- Leaves of arguments, and of the client's answers.
CREATE TABLE provenance_uses (
  session_id   TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq          INTEGER NOT NULL,           -- of the request, or of the answer
  idx          INTEGER NOT NULL,
  n            INTEGER NOT NULL,           -- counts the session's uses
  call_seq     INTEGER NOT NULL,           -- the call it belongs to: of an answer, the server's request
  call_idx     INTEGER NOT NULL,
  tool         TEXT NOT NULL,              -- its name; of other calls the method
  path         TEXT NOT NULL,              -- in the arguments: filter.ids[0]
  value        TEXT NOT NULL,              -- JSON
  cut          INTEGER NOT NULL DEFAULT 0, -- 1: the beginning of a longer value
  source       TEXT NOT NULL,              -- harvested, derived, literal, told, synthesized
  ground       TEXT NOT NULL DEFAULT '',   -- what that rests on: enum, default, elicitation, …
  relation     TEXT NOT NULL DEFAULT '',   -- of the entity it came as to the one that is asked for: same, other, unknown
  value_n      INTEGER,                    -- the n of the value that it is linked to
  value_seq    INTEGER,                    -- where that was born: the result, and the place in it
  value_idx    INTEGER,
  value_path   TEXT NOT NULL DEFAULT '',
  value_entity TEXT NOT NULL DEFAULT '',
  stale        INTEGER NOT NULL DEFAULT 0, -- 1: a call that may have changed it ran in between
  PRIMARY KEY (session_id, seq, idx, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX provenance_uses_by_call ON provenance_uses(session_id, call_seq, call_idx, n, source);

-- For people.
CREATE VIEW provenance AS
SELECT u.session_id, s.server, u.seq, u.tool, u.path, u.value, u.source, u.ground, u.relation AS entity, u.stale,
       u.value_seq AS born_seq, u.value_path AS born_path, u.value_entity AS born_entity, c.rendered AS born_from
  FROM provenance_uses u
  JOIN sessions s ON s.id = u.session_id
  LEFT JOIN provenance_values v ON v.session_id = u.session_id AND v.seq = u.value_seq AND v.idx = u.value_idx AND v.n = u.value_n
  LEFT JOIN calls c ON c.session_id = v.session_id AND c.seq = v.call_seq AND c.idx = v.call_idx;

CREATE VIEW harvest AS
SELECT v.session_id, s.server, v.seq, v.key, v.entity, v.value, v.path, v.echo, c.rendered AS born_from
  FROM provenance_values v
  JOIN sessions s ON s.id = v.session_id
  LEFT JOIN calls c ON c.session_id = v.session_id AND c.seq = v.call_seq AND c.idx = v.call_idx;
