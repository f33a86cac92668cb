-- The tables that src/resources and src/db/schema.ts declare, as PostgreSQL spells them: a test compares them with those of D1. Texts that
-- are compared or sorted have the collation "C", which orders them by their code points, as SQLite does.

CREATE TABLE countries (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  region text COLLATE "C" NOT NULL
);

CREATE TABLE currencies (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  symbol text NOT NULL
);

CREATE TABLE country_currencies (
  country_id text COLLATE "C" NOT NULL REFERENCES countries (id) ON DELETE CASCADE,
  currency_id text COLLATE "C" NOT NULL REFERENCES currencies (id) ON DELETE CASCADE,
  PRIMARY KEY (country_id, currency_id)
);

CREATE TABLE users (
  id text COLLATE "C" PRIMARY KEY,
  owner text COLLATE "C" NOT NULL,
  full_name text NOT NULL,
  full_name_key text COLLATE "C" NOT NULL,
  email text NOT NULL,
  email_key text COLLATE "C" NOT NULL,
  card text,
  addresses text,
  place_of_birth text COLLATE "C" REFERENCES countries (id),
  revision text COLLATE "C" NOT NULL DEFAULT '0'
);

CREATE UNIQUE INDEX users_email ON users (email_key);
CREATE INDEX users_owner ON users (owner);
CREATE INDEX users_name_id ON users (full_name_key, id);
CREATE INDEX users_name_desc_id ON users (full_name_key DESC, id);
CREATE INDEX users_name_email ON users (full_name_key, email_key);
CREATE INDEX users_name_desc_email ON users (full_name_key DESC, email_key);

CREATE TABLE user_citizenships (
  user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  country_id text COLLATE "C" NOT NULL REFERENCES countries (id),
  PRIMARY KEY (user_id, country_id)
);

CREATE TABLE user_relatives (
  user_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  relative_id text COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  relationship_type text COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, relative_id)
);

CREATE INDEX user_relatives_relative ON user_relatives (relative_id);

CREATE TABLE idempotency_keys (
  name text COLLATE "C" PRIMARY KEY,
  fingerprint text NOT NULL,
  created text NOT NULL,
  at bigint NOT NULL
);

CREATE INDEX idempotency_keys_at ON idempotency_keys (at);

CREATE TABLE counters (
  name text COLLATE "C" PRIMARY KEY,
  value bigint NOT NULL
);

INSERT INTO counters (name, value) VALUES ('users', 0);

-- What has not been added to a counter yet. Writes only add rows here, so that no two of them are in each other's way; the scheduled run
-- adds them up. A total is the counter and the sum of these.
CREATE TABLE counter_changes (
  name text COLLATE "C" NOT NULL,
  change bigint NOT NULL
);

-- Ends a transaction with a text that tells the reason. VOLATILE, so that it is not called while a statement is planned.
CREATE FUNCTION fail(reason text) RETURNS text LANGUAGE plpgsql VOLATILE STRICT AS $$
BEGIN
  RAISE EXCEPTION '%', quote_literal(reason);
END $$;
