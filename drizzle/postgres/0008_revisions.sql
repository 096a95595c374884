CREATE TABLE "almanac"."revisions" (
	"id" bigint PRIMARY KEY NOT NULL,
	"post_id" bigint NOT NULL,
	"at_utc" text NOT NULL,
	"by" bigint,
	"fields" json NOT NULL
);
