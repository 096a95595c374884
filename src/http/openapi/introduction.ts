/** The general description of the document: what all operations have in common. Markdown. */
export const INTRODUCTION = `An event calendar: events, venues, organizers, categories, tags and images, in several languages.

**Authentication.** Published records are readable without credentials. Everything else requires HTTP Basic with a login and an application password, or a Bearer token.

**Dates** have the format \`YYYY-MM-DD HH:MM:SS\`. \`start_date\` and \`end_date\` are local times in the time zone of the event; \`date\` and \`modified\` are in the site time zone. Members with \`utc\` in their name hold the same times in UTC. Requests may also use ISO 8601 with an offset, unix seconds, or words such as \`tomorrow\` and \`+3 days\`.

**Lists** are paginated, with \`total\`, \`total_pages\` and \`next_rest_url\`, which is absent on the last page. Separate several values of a parameter by commas. Unknown parameters are ignored and named in the response header \`X-Ignored-Parameters\`.

**No nulls.** A member without a value is absent or is \`""\`, \`false\` or \`[]\`.

**Languages.** Every record has a language. Select one with \`i18n_language\`, or by a path that starts with \`/ca\`, \`/en\` or \`/es\`.

**Slugs** in a path may be written as in the response, percent-encoded again, decoded, or as any text that results in the same slug.

**Methods.** A POST with \`?_method=\` or the header \`X-HTTP-Method-Override\` acts as a GET, PUT, PATCH or DELETE.

**Errors** have the form \`{code, message, data: {status}}\`. Programs should check \`code\`; \`message\` is for people. \`data.params\` names every invalid parameter.`
