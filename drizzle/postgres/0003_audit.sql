CREATE TABLE "almanac"."audit" (
	"id" bigint PRIMARY KEY NOT NULL,
	"at_utc" text NOT NULL,
	"code" text NOT NULL,
	"origin" text NOT NULL,
	"address" text NOT NULL,
	"user_id" bigint,
	"login" text,
	"credential" text,
	"subject_kind" text,
	"subject_id" bigint,
	"details" json NOT NULL,
	"count" bigint NOT NULL
);

--> statement-breakpoint
-- The log is only ever added to; retention says within its transaction that it removes old rows.
CREATE FUNCTION "almanac"."keep_audit"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'DELETE' AND current_setting('almanac.audit_retention', true) = 'on' THEN RETURN OLD; END IF;
	RAISE EXCEPTION 'the audit log is append-only';
END $$;
--> statement-breakpoint
CREATE TRIGGER "audit_append_only" BEFORE UPDATE OR DELETE ON "almanac"."audit" FOR EACH ROW EXECUTE FUNCTION "almanac"."keep_audit"();
--> statement-breakpoint
CREATE TRIGGER "audit_no_truncate" BEFORE TRUNCATE ON "almanac"."audit" FOR EACH STATEMENT EXECUTE FUNCTION "almanac"."keep_audit"();
