package io.palinode.voldemort.conformance;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A protocol, written and read field by field, by other code than the node's. */
interface Dialect {
  List<Dialect> ALL =
      List.of(
          new VpDialect(0), new VpDialect(1), new VpDialect(2), new VpDialect(3), new Pb0Dialect());

  /** What a client sends first. */
  String protocol();

  /** Whether it can express this route. */
  boolean knowsRoute(int route);

  byte[] request(Call call);

  /** Reads the answer to a request of this kind and nothing behind it. */
  Answer read(Call.Op op, DataInputStream in) throws IOException;

  static byte[] bytes(String chars) {
    return chars.getBytes(StandardCharsets.ISO_8859_1);
  }

  static String chars(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
