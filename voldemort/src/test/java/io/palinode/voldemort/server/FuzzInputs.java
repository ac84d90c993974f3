package io.palinode.voldemort.server;

import com.google.protobuf.ByteString;
import io.palinode.voldemort.TestNodes;
import io.palinode.voldemort.protocol.Pb0.ClockEntry;
import io.palinode.voldemort.protocol.Pb0.GetAllRequest;
import io.palinode.voldemort.protocol.Pb0.VectorClock;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.vp.VpRequests;
import io.palinode.voldemort.vp.VpVersion;
import io.palinode.voldemort.vp.WireBytes;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Bytes that are no request, or hardly one: chance, and valid requests with something changed. */
final class FuzzInputs {
  private static final int[] EXTREMES = {
    -1, 0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 1 << 24, 1 << 26, 1 << 30, 0x7FFF_FFFF
  };
  private static final int NOISE_BYTES_MAX = 200;
  private static final int MANY_ONE_IN = 500;
  private static final int MANY_MAX = 40_000;

  private final SplittableRandom random;

  FuzzInputs(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** What a connection brings behind the name of its protocol, in one to three pieces. */
  List<byte[]> next(String protocol) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      all.writeBytes(
          switch (random.nextInt(8)) {
            case 0 -> noise();
            case 1 -> valid(protocol);
            default -> changed(valid(protocol));
          });
    }
    return pieces(all.toByteArray());
  }

  private byte[] valid(String protocol) {
    VpVersion version = VpVersion.named(protocol);
    return version == null ? pb0() : vp(version);
  }

  private byte[] noise() {
    byte[] noise = new byte[random.nextInt(NOISE_BYTES_MAX)];
    random.nextBytes(noise);
    return noise;
  }

  private byte[] vp(VpVersion version) {
    VpRequests requests = VpRequests.of(version).routed(random.nextInt(3));
    byte[] clock = WireBytes.clock(random.nextLong(), 1, 0, random.nextLong(1, 101), 2, 7);
    return switch (random.nextInt(5)) {
      case 0 -> requests.get(store(), key());
      case 1 -> requests.getVersion(store(), key());
      case 2 -> requests.getAll(store(), List.of(key(), key(), key()));
      case 3 -> requests.put(store(), key(), clock, noise());
      default -> requests.delete(store(), key(), clock);
    };
  }

  private byte[] pb0() {
    VoldemortRequest request = random.nextInt(MANY_ONE_IN) == 0 ? many() : few();
    return new WireBytes().array(request.toByteArray()).toBytes();
  }

  /** Enough to be counted before it is parsed, and now and then too much. */
  private VoldemortRequest many() {
    int some = random.nextInt(MANY_MAX);
    if (random.nextBoolean()) {
      GetAllRequest.Builder keys = GetAllRequest.newBuilder();
      for (int i = 0; i < some; i++) {
        keys.addKeys(ByteString.copyFrom(new byte[random.nextInt(2)]));
      }
      return Requests.getAll(store()).toBuilder().setGetAll(keys).build();
    }
    VectorClock.Builder clock = VectorClock.newBuilder();
    for (int i = 0; i < some; i++) {
      clock.addEntries(ClockEntry.newBuilder().setNodeId(i).setVersion(1));
    }
    VoldemortRequest delete = Requests.delete(store(), "k", TestNodes.vector(1));
    return delete.toBuilder().setDelete(delete.getDelete().toBuilder().setVersion(clock)).build();
  }

  private VoldemortRequest few() {
    String key = new String(key(), java.nio.charset.StandardCharsets.US_ASCII);
    long counter = random.nextLong(1, 101);
    return switch (random.nextInt(5)) {
      case 0 -> Requests.get(store(), key);
      case 1 -> Requests.getVersion(store(), key);
      case 2 -> Requests.getAll(store(), key, key + "x");
      case 3 -> Requests.put(store(), key, TestNodes.version("v", counter, 0, 7));
      default -> Requests.delete(store(), key, TestNodes.vector(counter));
    };
  }

  private String store() {
    return switch (random.nextInt(8)) {
      case 0 -> TestNodes.ONCE;
      case 1 -> "metadata";
      case 2 -> "voldsys$_client_registry";
      case 3 -> "voldsys$_metadata_version_persistence";
      case 4 -> "nonsense";
      default -> TestNodes.EVERYWHERE;
    };
  }

  private byte[] key() {
    return TestNodes.bytes(random.nextInt(20) == 0 ? "node.id" : "k" + random.nextInt(20));
  }

  private byte[] changed(byte[] request) {
    byte[] changed = request.clone();
    for (int left = 1 + random.nextInt(3); left > 0 && changed.length > 0; left--) {
      changed = change(changed);
    }
    return changed;
  }

  private byte[] change(byte[] request) {
    int at = random.nextInt(request.length);
    switch (random.nextInt(6)) {
      case 0 -> request[at] = (byte) random.nextInt();
      case 1 -> request[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> {
        return Arrays.copyOf(request, at);
      }
      case 3 -> {
        return Arrays.copyOf(request, request.length + random.nextInt(20));
      }
      case 4 -> {
        return new WireBytes()
            .raw(Arrays.copyOf(request, at))
            .raw(noise())
            .raw(Arrays.copyOfRange(request, at, request.length))
            .toBytes();
      }
      default -> overwrite(request, at, EXTREMES[random.nextInt(EXTREMES.length)]);
    }
    return request;
  }

  private static void overwrite(byte[] request, int at, int extreme) {
    byte[] number = new WireBytes().i32(extreme).toBytes();
    for (int i = 0; i < number.length && at + i < request.length; i++) {
      request[at + i] = number[i];
    }
  }

  private List<byte[]> pieces(byte[] all) {
    List<byte[]> pieces = new ArrayList<>();
    int from = 0;
    for (int left = random.nextInt(3); left > 0; left--) {
      int to = from + random.nextInt(all.length - from + 1);
      pieces.add(Arrays.copyOfRange(all, from, to));
      from = to;
    }
    pieces.add(Arrays.copyOfRange(all, from, all.length));
    return pieces;
  }
}
