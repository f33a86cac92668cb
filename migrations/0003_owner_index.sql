-- Counted when a person creates a user: how many do they own? A version without quotas runs on as before.
CREATE INDEX `users_owner` ON `users` (`owner`);
