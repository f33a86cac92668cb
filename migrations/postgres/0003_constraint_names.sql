-- The names that Drizzle gives to keys, by which later migrations call them. Nothing else changes, and every version runs on.
ALTER TABLE "country_currencies" RENAME CONSTRAINT "country_currencies_pkey" TO "country_currencies_country_id_currency_id_pk";
ALTER TABLE "country_currencies" RENAME CONSTRAINT "country_currencies_country_id_fkey" TO "country_currencies_country_id_countries_id_fk";
ALTER TABLE "country_currencies" RENAME CONSTRAINT "country_currencies_currency_id_fkey" TO "country_currencies_currency_id_currencies_id_fk";
ALTER TABLE "user_citizenships" RENAME CONSTRAINT "user_citizenships_pkey" TO "user_citizenships_user_id_country_id_pk";
ALTER TABLE "user_citizenships" RENAME CONSTRAINT "user_citizenships_user_id_fkey" TO "user_citizenships_user_id_users_id_fk";
ALTER TABLE "user_citizenships" RENAME CONSTRAINT "user_citizenships_country_id_fkey" TO "user_citizenships_country_id_countries_id_fk";
ALTER TABLE "user_relatives" RENAME CONSTRAINT "user_relatives_pkey" TO "user_relatives_user_id_relative_id_pk";
ALTER TABLE "user_relatives" RENAME CONSTRAINT "user_relatives_user_id_fkey" TO "user_relatives_user_id_users_id_fk";
ALTER TABLE "user_relatives" RENAME CONSTRAINT "user_relatives_relative_id_fkey" TO "user_relatives_relative_id_users_id_fk";
ALTER TABLE "users" RENAME CONSTRAINT "users_place_of_birth_fkey" TO "users_place_of_birth_countries_id_fk";
