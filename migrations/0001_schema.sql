-- Written by drizzle-kit from the tables that src declares. By hand, since Drizzle has no words for them:
-- WITHOUT ROWID and the row of the counter.

CREATE TABLE `countries` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`region` text NOT NULL
);

CREATE TABLE `currencies` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`symbol` text NOT NULL
);

CREATE TABLE `country_currencies` (
	`country_id` text NOT NULL,
	`currency_id` text NOT NULL,
	PRIMARY KEY(`country_id`, `currency_id`),
	FOREIGN KEY (`country_id`) REFERENCES `countries`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`currency_id`) REFERENCES `currencies`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;

CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`full_name` text NOT NULL,
	`full_name_key` text NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`card` text,
	`addresses` text,
	`place_of_birth` text,
	FOREIGN KEY (`place_of_birth`) REFERENCES `countries`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `users_email` ON `users` (`email_key`);
CREATE INDEX `users_name_id` ON `users` (`full_name_key`,`id`);
CREATE INDEX `users_name_desc_id` ON `users` ("full_name_key" desc,`id`);
CREATE INDEX `users_name_email` ON `users` (`full_name_key`,`email_key`);
CREATE INDEX `users_name_desc_email` ON `users` ("full_name_key" desc,`email_key`);

CREATE TABLE `user_citizenships` (
	`user_id` text NOT NULL,
	`country_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `country_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`country_id`) REFERENCES `countries`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;

CREATE TABLE `user_relatives` (
	`user_id` text NOT NULL,
	`relative_id` text NOT NULL,
	`relationship_type` text NOT NULL,
	PRIMARY KEY(`user_id`, `relative_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`relative_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;

CREATE INDEX `user_relatives_relative` ON `user_relatives` (`relative_id`);

CREATE TABLE `counters` (
	`name` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
) WITHOUT ROWID;

INSERT INTO `counters` (`name`, `value`) VALUES ('users', 0);
