-- The migration of a domain that has nothing to do with the service's own: ids, keys and links are all
-- named differently, so that nothing in the engine can count on a name.

CREATE TABLE tags (
	slug text PRIMARY KEY NOT NULL,
	label text NOT NULL,
	kind text NOT NULL
);

CREATE TABLE tag_neighbours (
	tag text NOT NULL REFERENCES tags(slug) ON DELETE cascade,
	neighbour text NOT NULL REFERENCES tags(slug) ON DELETE cascade,
	weight text NOT NULL,
	PRIMARY KEY(tag, neighbour)
) WITHOUT ROWID;

CREATE TABLE people (
	person_no text PRIMARY KEY NOT NULL,
	nickname text NOT NULL,
	born integer NOT NULL,
	favourite text REFERENCES tags(slug),
	state text NOT NULL DEFAULT 'first'
);

CREATE TABLE follows (
	follower text NOT NULL REFERENCES people(person_no) ON DELETE cascade,
	followed text NOT NULL REFERENCES people(person_no) ON DELETE cascade,
	PRIMARY KEY(follower, followed)
) WITHOUT ROWID;

CREATE TABLE articles (
	article_no text PRIMARY KEY NOT NULL,
	keeper text NOT NULL,
	title text NOT NULL,
	title_fold text NOT NULL,
	handle text NOT NULL,
	handle_fold text NOT NULL,
	section text NOT NULL,
	section_fold text NOT NULL,
	words integer,
	layout text,
	notes text,
	author text REFERENCES people(person_no) ON DELETE set null,
	edition text NOT NULL DEFAULT '0',
	CHECK (words <> 13)
);

CREATE UNIQUE INDEX articles_handle ON articles (handle_fold);

CREATE INDEX articles_keeper ON articles (keeper);

CREATE TABLE contributions (
	article text NOT NULL REFERENCES articles(article_no) ON DELETE cascade,
	person text NOT NULL REFERENCES people(person_no) ON DELETE cascade,
	part text NOT NULL,
	PRIMARY KEY(article, person)
) WITHOUT ROWID;

CREATE TABLE article_tags (
	article text NOT NULL REFERENCES articles(article_no) ON DELETE cascade,
	tag text NOT NULL REFERENCES tags(slug),
	PRIMARY KEY(article, tag)
) WITHOUT ROWID;

CREATE TABLE visits (
	visit_no text PRIMARY KEY NOT NULL,
	begun integer NOT NULL,
	pages integer NOT NULL,
	paid integer NOT NULL,
	ended integer,
	helped integer,
	previous text REFERENCES visits(visit_no) ON DELETE set null,
	version text NOT NULL DEFAULT '0'
);

CREATE TABLE similar_visits (
	visit text NOT NULL REFERENCES visits(visit_no) ON DELETE cascade,
	similar text NOT NULL REFERENCES visits(visit_no) ON DELETE cascade,
	PRIMARY KEY(visit, similar)
) WITHOUT ROWID;

CREATE TABLE counters (name text PRIMARY KEY NOT NULL, value integer NOT NULL) WITHOUT ROWID;

INSERT INTO counters (name, value) VALUES ('articles', 0);

CREATE TABLE idempotency_keys (
	name text PRIMARY KEY NOT NULL,
	fingerprint text NOT NULL,
	created text NOT NULL,
	at integer NOT NULL
) WITHOUT ROWID;

CREATE INDEX idempotency_keys_at ON idempotency_keys (at);
