package io.palinode.voldemort.conformance;

import io.palinode.voldemort.conformance.Answer.Version;
import io.palinode.voldemort.vp.VpRequests;
import io.palinode.voldemort.vp.VpVersion;
import io.palinode.voldemort.vp.WireBytes;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A native protocol. */
record VpDialect(int number) implements Dialect {
  @Override
  public String protocol() {
    return "vp" + number;
  }

  @Override
  public boolean knowsRoute(int route) {
    return route <= number;
  }

  @Override
  public byte[] request(Call call) {
    VpRequests requests = VpRequests.of(VpVersion.valueOf("VP" + number)).routed(call.route());
    byte[] key = call.keys().isEmpty() ? new byte[0] : Dialect.bytes(call.key());
    return switch (call.op()) {
      case GET -> requests.get(call.store(), key);
      case GET_VERSION -> requests.getVersion(call.store(), key);
      case GET_ALL ->
          requests.getAll(call.store(), call.keys().stream().map(Dialect::bytes).toList());
      case PUT -> requests.put(call.store(), key, bytes(call.clock()), Dialect.bytes(call.value()));
      case DELETE -> requests.delete(call.store(), key, bytes(call.clock()));
    };
  }

  static byte[] bytes(Clock clock) {
    long greatest = clock.counters().values().stream().mapToLong(Long::longValue).max().orElse(1);
    int size = (Long.SIZE - Long.numberOfLeadingZeros(greatest) + 7) / 8;
    long[] entries = new long[2 * clock.counters().size()];
    int i = 0;
    for (Map.Entry<Integer, Long> entry : clock.counters().entrySet()) {
      entries[i++] = entry.getKey();
      entries[i++] = entry.getValue();
    }
    return WireBytes.clock(clock.timestamp(), size, entries);
  }

  @Override
  public Answer read(Call.Op op, DataInputStream in) throws IOException {
    int code = in.readShort();
    if (code != 0) {
      return new Answer.Refused(code, in.readUTF());
    }
    return switch (op) {
      case GET -> new Answer.Versions(versions(in));
      case GET_VERSION -> new Answer.Clocks(clocks(in));
      case GET_ALL -> new Answer.Keyed(keyed(in));
      case PUT -> new Answer.Done();
      case DELETE -> new Answer.Deleted(in.readBoolean());
    };
  }

  private static List<Version> versions(DataInputStream in) throws IOException {
    List<Version> versions = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      DataInputStream one = array(in);
      versions.add(new Version(clock(one), Dialect.chars(one.readAllBytes())));
    }
    return versions;
  }

  private static List<String> clocks(DataInputStream in) throws IOException {
    List<String> clocks = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      DataInputStream one = array(in);
      clocks.add(clock(one) + "!".repeat(one.available()));
    }
    return clocks;
  }

  private static Map<String, List<Version>> keyed(DataInputStream in) throws IOException {
    Map<String, List<Version>> keyed = new TreeMap<>();
    for (int left = in.readInt(); left > 0; left--) {
      String key = Dialect.chars(array(in).readAllBytes());
      if (keyed.put(key, versions(in)) != null) {
        throw new IOException("a key must be returned once: twice " + key);
      }
    }
    return keyed;
  }

  private static DataInputStream array(DataInputStream in) throws IOException {
    byte[] bytes = new byte[in.readInt()];
    in.readFully(bytes);
    return new DataInputStream(new ByteArrayInputStream(bytes));
  }

  private static String clock(DataInputStream in) throws IOException {
    TreeMap<Integer, Long> counters = new TreeMap<>();
    int entries = in.readShort();
    int size = in.readByte();
    for (int i = 0; i < entries; i++) {
      int node = in.readShort();
      long counter = 0;
      for (int b = 0; b < size; b++) {
        counter = (counter << 8) | in.readUnsignedByte();
      }
      counters.put(node, counter);
    }
    return new Clock(counters, in.readLong()).toString();
  }
}
