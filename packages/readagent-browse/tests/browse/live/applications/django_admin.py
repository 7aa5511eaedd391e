"""Django's admin with a database of its own: ``python django_admin.py FOLDER`` prints its address and serves.

The administrator is ``mira`` with the password ``lantern-42``; there are two groups and 30 users.
"""

from __future__ import annotations

import sys
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application

APPS = ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles")


def configure(folder: Path) -> None:
    """Set Django up with a database in this folder."""
    settings.configure(
        DEBUG=True,
        SECRET_KEY="for tests only",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=__name__,
        INSTALLED_APPS=[f"django.contrib.{name}" for name in APPS],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.common.CommonMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {
                    "context_processors": [
                        "django.template.context_processors.request",
                        "django.contrib.auth.context_processors.auth",
                        "django.contrib.messages.context_processors.messages",
                    ]
                },
            }
        ],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder / "admin.sqlite3"}},
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],  # quick
        STATIC_URL="/static/",
        USE_TZ=True,
    )
    django.setup()


def fill() -> None:
    """Create the tables, the administrator, groups and users."""
    call_command("migrate", verbosity=0)
    from django.contrib.auth.models import Group, User

    User.objects.create_superuser("mira", "mira@example.org", "lantern-42")
    Group.objects.create(name="Gardeners")
    Group.objects.create(name="Keepers of the lamps")
    for number in range(1, 31):
        User.objects.create(username=f"guest{number:02}", email=f"guest{number:02}@example.org")


class Quiet(WSGIRequestHandler):
    """Logs nothing."""

    def log_message(self, *said: object) -> None:
        return


def urls() -> list[object]:
    """Return the pages of the site: the admin alone."""
    from django.contrib import admin
    from django.urls import path

    return [path("admin/", admin.site.urls)]


def __getattr__(name: str) -> object:
    """Return ``urlpatterns``, which Django looks for in this module once it is set up."""
    if name == "urlpatterns":
        return urls()
    raise AttributeError(name)


def main() -> None:
    """Serve until killed."""
    configure(Path(sys.argv[1]))
    fill()
    with make_server("127.0.0.1", 0, StaticFilesHandler(get_wsgi_application()), handler_class=Quiet) as server:
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
