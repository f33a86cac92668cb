-- What a database that holds only a part of the users has otherwise, after all migrations of the service:
-- the relatives of its users may be in other databases, where no foreign key reaches.

PRAGMA defer_foreign_keys = on;

CREATE TABLE user_relatives_apart (
	user_id text NOT NULL,
	relative_id text NOT NULL,
	relationship_type text NOT NULL,
	PRIMARY KEY(user_id, relative_id),
	FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE cascade
) WITHOUT ROWID;

INSERT INTO user_relatives_apart SELECT user_id, relative_id, relationship_type FROM user_relatives;

DROP TABLE user_relatives;

ALTER TABLE user_relatives_apart RENAME TO user_relatives;

-- Stored with the relative: who has them as one. Deleting a person reads it to know what to delete elsewhere.
CREATE TABLE user_relative_of (
	relative_id text NOT NULL,
	user_id text NOT NULL,
	PRIMARY KEY(relative_id, user_id)
) WITHOUT ROWID;

INSERT INTO user_relative_of SELECT relative_id, user_id FROM user_relatives;
