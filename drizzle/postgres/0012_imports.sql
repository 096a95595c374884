CREATE TABLE "almanac"."import_runs" (
	"id" bigint PRIMARY KEY NOT NULL,
	"source_id" bigint NOT NULL,
	"began_utc" text NOT NULL,
	"ended_utc" text,
	"counts" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."import_sources" (
	"id" bigint PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"keeps_ids" boolean NOT NULL,
	"pages" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "almanac"."imports" (
	"source_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"remote_id" bigint NOT NULL,
	"record_id" bigint NOT NULL,
	"digest" text NOT NULL,
	"version" text NOT NULL,
	"made_run" bigint,
	"run_id" bigint NOT NULL,
	"gone" boolean NOT NULL,
	CONSTRAINT "imports_source_id_kind_remote_id_pk" PRIMARY KEY("source_id","kind","remote_id")
);
