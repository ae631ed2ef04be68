"""A real S3 server on this machine, and a proxy before it that fails now and then."""

from __future__ import annotations

import http.client
import logging
import random
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

FAULTS = ("500", "503", "silence", "refused", "half", "unheard")
SECRET = "a-secret-that-nobody-may-read"


@contextmanager
def s3_server(bucket: str = "bucket") -> Iterator[str]:
    """Moto's server, with an empty bucket: its address."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    address = f"http://{host}:{port}"
    urllib.request.urlopen(urllib.request.Request(f"{address}/{bucket}", method="PUT")).close()
    try:
        yield address
    finally:
        server.stop()


class Proxy:
    """Passes requests on, or lets them fail.

    500, 503   the server answers so
    silence    no answer for a while
    refused    the connection is closed at once
    half       the answer ends in the middle
    unheard    the request is done, and the connection closed without an answer
    """

    def __init__(
        self, target: str, share: float = 0.0, faults: Sequence[str] = FAULTS, seed: int = 0, silence: float = 1.0
    ) -> None:
        self.target, self.share, self.faults, self.silence = target.removeprefix("http://"), share, faults, silence
        self.random, self.failed, self.asked = random.Random(seed), 0, 0
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None: ...

        for verb in ("GET", "PUT", "POST", "DELETE", "HEAD"):
            setattr(Handler, f"do_{verb}", lambda request: proxy.serve(request))

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        self.asked += 1
        fault = self.random.choice(self.faults) if self.random.random() < self.share else ""
        self.failed += bool(fault)
        request.close_connection = True
        if fault in ("500", "503"):
            request.send_response(int(fault))
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        if fault == "silence":
            time.sleep(self.silence)
        if fault in ("silence", "refused"):
            return
        connection = http.client.HTTPConnection(self.target, timeout=30)
        headers = {name: value for name, value in request.headers.items() if name.lower() != "connection"}
        connection.request(request.command, request.path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        if fault == "unheard":
            return
        request.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                request.send_header(name, value)
        length = answer.getheader("Content-Length") if request.command == "HEAD" else str(len(data))
        request.send_header("Content-Length", length or "0")
        request.send_header("Connection", "close")
        request.end_headers()
        request.wfile.write(data[: len(data) // 2] if fault == "half" else data)


def environment(address: str) -> dict[str, str]:
    """Variables with which this server is found."""
    return {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "tester",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
    }
