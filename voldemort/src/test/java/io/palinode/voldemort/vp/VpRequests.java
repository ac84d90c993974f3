package io.palinode.voldemort.vp;

import java.util.List;

/** Requests of the native protocols as bytes, field by field. */
public final class VpRequests {
  private final VpVersion version;
  private final int route;

  private VpRequests(VpVersion version, int route) {
    this.version = version;
    this.route = route;
  }

  public static VpRequests of(VpVersion version) {
    return new VpRequests(version, 0);
  }

  /** The same with another route, 0 to 2; before vp2 only 1 differs from 0. */
  public VpRequests routed(int newRoute) {
    return new VpRequests(version, newRoute);
  }

  public byte[] get(String store, byte[] key) {
    return transform(head(1, store).array(key)).toBytes();
  }

  public byte[] getVersion(String store, byte[] key) {
    return head(10, store).array(key).toBytes();
  }

  public byte[] getAll(String store, List<byte[]> keys) {
    WireBytes bytes = head(4, store).i32(keys.size());
    keys.forEach(bytes::array);
    return transform(bytes).toBytes();
  }

  public byte[] put(String store, byte[] key, byte[] clock, byte[] value) {
    WireBytes bytes = head(2, store).array(key).i32(clock.length + value.length);
    return transform(bytes.raw(clock).raw(value)).toBytes();
  }

  public byte[] delete(String store, byte[] key, byte[] clock) {
    return head(3, store).array(key).i16(clock.length).raw(clock).toBytes();
  }

  public WireBytes head(int operation, String store) {
    WireBytes bytes = new WireBytes().u8(operation).utf(store);
    if (version.compareTo(VpVersion.VP1) >= 0) {
      bytes.u8(route == 1 ? 1 : 0);
    }
    return version.compareTo(VpVersion.VP2) >= 0 ? bytes.u8(route) : bytes;
  }

  private WireBytes transform(WireBytes bytes) {
    return version == VpVersion.VP3 ? bytes.u8(0) : bytes;
  }
}
