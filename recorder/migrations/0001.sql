-- Facts: written once, never changed.
CREATE TABLE sessions (
  id               TEXT PRIMARY KEY,            -- UUIDv7
  host             TEXT NOT NULL DEFAULT '',
  server           TEXT NOT NULL DEFAULT '',    -- the host's config key, else the command's base name
  command          TEXT NOT NULL DEFAULT '[]',  -- JSON array, redacted
  url              TEXT NOT NULL DEFAULT '',
  transport        TEXT NOT NULL DEFAULT 'stdio',
  started_at       INTEGER NOT NULL,            -- Unix ns
  ended_at         INTEGER,                     -- Unix ns; NULL while it is open
  ending           TEXT NOT NULL DEFAULT '',    -- client closed, server exited, signal, killed, did not start
  exit_code        INTEGER,
  complete         INTEGER NOT NULL DEFAULT 0,  -- 1: ended, and nothing is missing
  cwd              TEXT NOT NULL DEFAULT '',
  parent           TEXT NOT NULL DEFAULT '{}',  -- JSON: pid, started_at, name
  metadata_only    INTEGER NOT NULL DEFAULT 0,
  pinned           INTEGER NOT NULL DEFAULT 0,  -- 1: never pruned
  imported         INTEGER NOT NULL DEFAULT 0,  -- 1: from a capture file
  redaction        TEXT NOT NULL DEFAULT '',    -- of an imported capture: its header's member, JSON
  extra            TEXT NOT NULL DEFAULT '',    -- of an imported capture: members that we do not know, JSON
  -- Read from the traffic, and counted.
  protocol_version TEXT NOT NULL DEFAULT '',
  client_name      TEXT NOT NULL DEFAULT '',
  client_version   TEXT NOT NULL DEFAULT '',
  server_name      TEXT NOT NULL DEFAULT '',
  server_version   TEXT NOT NULL DEFAULT '',
  frames           INTEGER NOT NULL DEFAULT 0,
  bytes            INTEGER NOT NULL DEFAULT 0,
  calls            INTEGER NOT NULL DEFAULT 0,
  errors           INTEGER NOT NULL DEFAULT 0,  -- calls that ended in tool_error or error
  noise            INTEGER NOT NULL DEFAULT 0,
  invalid          INTEGER NOT NULL DEFAULT 0,
  orphans          INTEGER NOT NULL DEFAULT 0,  -- responses without a request
  gaps             INTEGER NOT NULL DEFAULT 0,
  lost_frames      INTEGER NOT NULL DEFAULT 0,
  derived_seq      INTEGER NOT NULL DEFAULT 0   -- messages and calls are derived up to here
) STRICT;
CREATE INDEX sessions_by_start ON sessions(started_at);
CREATE INDEX sessions_open ON sessions(id) WHERE ended_at IS NULL;

CREATE TABLE frames (
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq        INTEGER NOT NULL,
  part       INTEGER NOT NULL DEFAULT 0,   -- lines over 16 MiB stand in parts 0, 1, …
  at_ns      INTEGER NOT NULL,             -- since the session's start
  direction  INTEGER NOT NULL,             -- 0 client to server, 1 server to client
  stream     INTEGER NOT NULL DEFAULT 0,   -- 0 on stdio
  data       BLOB NOT NULL,                -- the line without its end
  eol        TEXT NOT NULL,                -- '', \n or \r\n
  size       INTEGER NOT NULL,             -- bytes of the line up to the end of this part
  truncated  INTEGER NOT NULL DEFAULT 0,   -- 1: a gap took some of its bytes
  PRIMARY KEY (session_id, seq, part)
) STRICT;

CREATE TABLE stderr (
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  n          INTEGER NOT NULL,
  at_ns      INTEGER NOT NULL,
  data       BLOB NOT NULL,
  withheld   INTEGER NOT NULL DEFAULT 0,   -- 1: the host did not read it
  PRIMARY KEY (session_id, n)
) STRICT;

CREATE TABLE gaps (
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  n          INTEGER NOT NULL,
  from_seq   INTEGER NOT NULL,
  to_seq     INTEGER NOT NULL,             -- below from_seq when only a part of a line was lost
  frames     INTEGER NOT NULL,
  bytes      INTEGER NOT NULL,
  at_ns      INTEGER NOT NULL,
  reason     TEXT NOT NULL,
  PRIMARY KEY (session_id, n)
) STRICT;

-- Lines of an imported capture that are not ours, kept word for word.
CREATE TABLE capture_lines (
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  n          INTEGER NOT NULL,
  after_seq  INTEGER NOT NULL,
  line       BLOB NOT NULL,
  PRIMARY KEY (session_id, n)
) STRICT;

CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

-- Derived: deleted and rebuilt by `reprise rebuild`.
CREATE TABLE messages (
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq        INTEGER NOT NULL,
  idx        INTEGER NOT NULL,             -- place in the frame: batches, objects on one line
  kind       TEXT NOT NULL,                -- request, notification, response, invalid, noise
  rpc_id     TEXT NOT NULL DEFAULT '',     -- raw token; '' when absent
  method     TEXT NOT NULL DEFAULT '',
  name       TEXT NOT NULL DEFAULT '',     -- tool, prompt, uri or task
  flags      INTEGER NOT NULL DEFAULT 0,
  call_seq   INTEGER,                      -- the call it belongs to
  call_idx   INTEGER,
  PRIMARY KEY (session_id, seq, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE calls (
  session_id    TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq           INTEGER NOT NULL,          -- of the request
  idx           INTEGER NOT NULL,
  direction     INTEGER NOT NULL,          -- the request's
  stream        INTEGER NOT NULL,
  rpc_id        TEXT NOT NULL,
  method        TEXT NOT NULL,
  name          TEXT NOT NULL,
  status        TEXT NOT NULL,             -- open, ok, tool_error, error, cancelled, unanswered, lost
  code          INTEGER,
  started_ns    INTEGER NOT NULL,
  ended_ns      INTEGER,
  duration_ns   INTEGER,
  response_seq  INTEGER,
  response_idx  INTEGER,
  request_size  INTEGER NOT NULL,
  response_size INTEGER,
  cancelled_seq INTEGER,
  late          INTEGER NOT NULL DEFAULT 0,
  progress      INTEGER NOT NULL DEFAULT 0,
  host_ids      TEXT NOT NULL DEFAULT '',
  flags         INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_id, seq, idx)
) STRICT, WITHOUT ROWID;

-- For people.
CREATE VIEW exchanges AS
SELECT c.session_id, s.server, s.host, c.seq, c.response_seq,
       CASE c.direction WHEN 0 THEN 'client' ELSE 'server' END AS sender,
       c.rpc_id AS id, c.method, c.name, c.status, c.code,
       c.duration_ns / 1e6 AS ms,
       CAST(q.data AS TEXT) AS request, CAST(r.data AS TEXT) AS response
  FROM calls c
  JOIN sessions s ON s.id = c.session_id
  LEFT JOIN frames q ON q.session_id = c.session_id AND q.seq = c.seq AND q.part = 0
  LEFT JOIN frames r ON r.session_id = c.session_id AND r.seq = c.response_seq AND r.part = 0;

CREATE VIEW tool_calls AS
SELECT e.session_id, e.server, e.host, e.seq, e.name AS tool, e.status, e.ms,
       CASE WHEN json_valid(e.request) THEN json_extract(e.request, '$.params.arguments') END AS arguments,
       CASE WHEN json_valid(e.response) THEN coalesce(json_extract(e.response, '$.result'), json_extract(e.response, '$.error')) END AS answer
  FROM exchanges e WHERE e.method = 'tools/call';
