-- Sessions that are not an agent's work.
ALTER TABLE sessions ADD COLUMN purpose TEXT NOT NULL DEFAULT '';  -- '' an agent's work; replay, verify: made by that command
