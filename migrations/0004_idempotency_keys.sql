-- What was created by requests with an Idempotency-Key. A version that knows nothing of keys runs on as before.
CREATE TABLE `idempotency_keys` (
	`name` text PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`created` text NOT NULL,
	`at` integer NOT NULL
) WITHOUT ROWID;

-- The scheduled run removes the oldest.
CREATE INDEX `idempotency_keys_at` ON `idempotency_keys` (`at`);
