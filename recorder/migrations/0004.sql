-- Findings that somebody says are mended. What the findings are is derived from the sessions, and kept nowhere.
CREATE TABLE claims (
  fingerprint TEXT PRIMARY KEY,  -- of the finding
  claimed_at  INTEGER NOT NULL   -- only sessions that began later say whether it is so
) STRICT, WITHOUT ROWID;
