-- What a database of version 1 lacks, for a connection that may not write to it: temporary names go before its own.
CREATE TEMP VIEW sessions AS
SELECT *, 0 AS value_count, 0 AS unsourced, 0 AS left_out, 0 AS derived_version, '' AS purpose FROM main.sessions;
CREATE TEMP VIEW calls AS
SELECT *, '' AS link, NULL AS of_seq, NULL AS of_idx, '' AS rendered, 0 AS partial FROM main.calls;
CREATE TEMP TABLE provenance_values (session_id, seq, idx, n, call_seq, call_idx, key, entity, value, path, echo);
CREATE TEMP TABLE provenance_uses (session_id, seq, idx, n, call_seq, call_idx, tool, path, value, cut, source, ground,
  relation, value_n, value_seq, value_idx, value_path, value_entity, stale);
CREATE TEMP TABLE claims (fingerprint, claimed_at);
