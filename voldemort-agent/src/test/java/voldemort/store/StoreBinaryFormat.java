package voldemort.store;

import io.palinode.voldemort.protocol.Siblings;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import voldemort.versioning.VectorClock;
import voldemort.versioning.Versioned;

/** Shaped like the server's class of this name; written for tests. Records of format 0. */
public final class StoreBinaryFormat {
  private StoreBinaryFormat() {}

  public static byte[] toByteArray(List<Versioned<byte[]>> values) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0);
    for (Versioned<byte[]> each : values) {
      out.writeBytes(((VectorClock) each.getVersion()).toBytes());
      out.writeBytes(ByteBuffer.allocate(4).putInt(each.getValue().length).array());
      out.writeBytes(each.getValue());
    }
    return out.toByteArray();
  }

  public static List<Versioned<byte[]>> fromByteArray(byte[] record) {
    List<Versioned<byte[]>> values = new ArrayList<>();
    Siblings.decode(record)
        .forEach(
            each ->
                values.add(new Versioned<>(each.value(), new VectorClock(each.clock().encode()))));
    return values;
  }
}
