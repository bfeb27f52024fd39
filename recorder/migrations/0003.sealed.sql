-- What a database of version 3 lacks, for a connection that may not write to it: temporary names go before its own.
CREATE TEMP TABLE claims (fingerprint, claimed_at);
