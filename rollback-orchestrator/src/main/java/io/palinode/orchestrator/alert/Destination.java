package io.palinode.orchestrator.alert;

import java.net.URI;

/**
 * Where alerts are sent. Immutable.
 *
 * @param address a topic of Kafka, or a URL
 */
record Destination(Format format, String address) {
  /** Of a valid destination other than the console: {@code kafka:TOPIC}, {@code FORMAT:URL}. */
  static Destination of(String text) {
    int colon = text.indexOf(':');
    return new Destination(Format.of(text.substring(0, colon)), text.substring(colon + 1));
  }

  boolean isTopic() {
    return format == Format.KAFKA;
  }

  URI url() {
    return URI.create(address);
  }

  /** Where the bodies are posted. */
  URI endpoint() {
    return format.endpoint(url());
  }

  /** Without what may be a password. */
  String shown() {
    return format.word() + ":" + (isTopic() ? address : url().getHost());
  }
}
