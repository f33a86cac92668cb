-- Named by ETag and If-Match. A version that knows nothing of revisions runs on as before, and leaves them as they are.
ALTER TABLE `users` ADD `revision` text DEFAULT '0' NOT NULL;
