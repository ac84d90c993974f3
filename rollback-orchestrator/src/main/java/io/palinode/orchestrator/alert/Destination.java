package io.palinode.orchestrator.alert;

import java.net.URI;

/** Where alerts are posted. Immutable. */
record Destination(Format format, URI url) {
  /** Of a valid destination other than the console: {@code FORMAT:URL}. */
  static Destination of(String text) {
    int colon = text.indexOf(':');
    return new Destination(
        Format.of(text.substring(0, colon)), URI.create(text.substring(colon + 1)));
  }

  /** Where the bodies go. */
  URI endpoint() {
    return format.endpoint(url);
  }

  /** Without what may be a password. */
  String shown() {
    return format.word() + ":" + url.getHost();
  }
}
