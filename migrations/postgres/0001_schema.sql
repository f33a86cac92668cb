-- The tables that src declares, as PostgreSQL spells them. The database has the locale C, which orders texts
-- by their code points, as SQLite does.

CREATE TABLE countries (
  id text PRIMARY KEY,
  name text NOT NULL,
  region text NOT NULL
);

CREATE TABLE currencies (
  id text PRIMARY KEY,
  name text NOT NULL,
  symbol text NOT NULL
);

CREATE TABLE country_currencies (
  country_id text NOT NULL REFERENCES countries (id) ON DELETE CASCADE,
  currency_id text NOT NULL REFERENCES currencies (id) ON DELETE CASCADE,
  PRIMARY KEY (country_id, currency_id)
);

CREATE TABLE users (
  id text PRIMARY KEY,
  owner text NOT NULL,
  full_name text NOT NULL,
  full_name_key text NOT NULL,
  email text NOT NULL,
  email_key text NOT NULL,
  card text,
  addresses text,
  place_of_birth text REFERENCES countries (id),
  revision text NOT NULL DEFAULT '0'
);

CREATE UNIQUE INDEX users_email ON users (email_key);
CREATE INDEX users_owner ON users (owner);
CREATE INDEX users_name_id ON users (full_name_key, id);
CREATE INDEX users_name_desc_id ON users (full_name_key DESC, id);
CREATE INDEX users_name_email ON users (full_name_key, email_key);
CREATE INDEX users_name_desc_email ON users (full_name_key DESC, email_key);

CREATE TABLE user_citizenships (
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  country_id text NOT NULL REFERENCES countries (id),
  PRIMARY KEY (user_id, country_id)
);

CREATE TABLE user_relatives (
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  relative_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  relationship_type text NOT NULL,
  PRIMARY KEY (user_id, relative_id)
);

CREATE INDEX user_relatives_relative ON user_relatives (relative_id);

CREATE TABLE idempotency_keys (
  name text PRIMARY KEY,
  fingerprint text NOT NULL,
  created text NOT NULL,
  at bigint NOT NULL
);

CREATE INDEX idempotency_keys_at ON idempotency_keys (at);

CREATE TABLE counters (
  name text PRIMARY KEY,
  value bigint NOT NULL
);

INSERT INTO counters (name, value) VALUES ('users', 0);
