"""Reads a calendar by python3-vobject, and prints its events as JSON, with times in UTC."""
import datetime
import json
import sys

import vobject

utc = lambda at: at.astimezone(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")
calendar = vobject.readOne(sys.stdin.read())
json.dump(
    [
        {
            "title": event.summary.value,
            "start": utc(event.dtstart.value),
            "end": utc((event.dtend if hasattr(event, "dtend") else event.dtstart).value),
        }
        for event in calendar.vevent_list
    ],
    sys.stdout,
)
