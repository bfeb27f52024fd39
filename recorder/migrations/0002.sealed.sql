-- What a database of version 2 lacks, for a connection that may not write to it: temporary names go before its own.
CREATE TEMP VIEW sessions AS SELECT *, '' AS purpose FROM main.sessions;
CREATE TEMP TABLE claims (fingerprint, claimed_at);
