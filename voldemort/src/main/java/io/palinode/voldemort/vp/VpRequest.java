package io.palinode.voldemort.vp;

import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A request of the native protocols; its bytes are drawn at {@link RequestScan}. */
public sealed interface VpRequest {
  String store();

  Route route();

  record Get(String store, Route route, byte[] key) implements VpRequest {}

  record GetVersion(String store, Route route, byte[] key) implements VpRequest {}

  record GetAll(String store, Route route, List<byte[]> keys) implements VpRequest {
    public GetAll {
      keys = List.copyOf(keys);
    }
  }

  record Put(String store, Route route, byte[] key, Versioned versioned) implements VpRequest {}

  record Delete(String store, Route route, byte[] key, VectorClock upTo) implements VpRequest {}

  /**
   * Decodes a request whose end {@link RequestScan} has found. Throws {@link
   * IllegalArgumentException} for an invalid clock or name. Skips transforms: no store here is a
   * view.
   */
  static VpRequest decode(VpVersion version, ByteBuffer in) {
    try {
      Operation operation = Operation.of(in.get());
      String store = store(in);
      Route route = Route.of(version.hasRouted() && in.get() != 0);
      if (version.hasRoute()) {
        route = Objects.requireNonNull(Route.of(in.get()), "a route that was not scanned");
      }
      return switch (operation) {
        case GET -> new Get(store, route, array(in));
        case GET_VERSION -> new GetVersion(store, route, array(in));
        case GET_ALL -> new GetAll(store, route, keys(in));
        case PUT -> new Put(store, route, array(in), versioned(in));
        case DELETE -> new Delete(store, route, array(in), VectorClock.decode(bytes(in)));
      };
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a request is cut off: bytes=" + in.limit(), e);
    }
  }

  private static String store(ByteBuffer in) {
    byte[] text = new byte[Short.BYTES + (in.getShort(in.position()) & 0xFFFF)];
    in.get(text);
    try {
      return new DataInputStream(new ByteArrayInputStream(text)).readUTF();
    } catch (IOException e) {
      throw new IllegalArgumentException("a store's name must be modified UTF-8: " + e, e);
    }
  }

  private static List<byte[]> keys(ByteBuffer in) {
    int count = in.getInt();
    List<byte[]> keys = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      keys.add(array(in));
    }
    return keys;
  }

  private static byte[] array(ByteBuffer in) {
    byte[] array = new byte[in.getInt()];
    in.get(array);
    return array;
  }

  /** The clock of a delete. */
  private static byte[] bytes(ByteBuffer in) {
    byte[] array = new byte[in.getShort()];
    in.get(array);
    return array;
  }

  private static Versioned versioned(ByteBuffer in) {
    int length = in.getInt();
    ByteBuffer both = in.slice(in.position(), length);
    in.position(in.position() + length);
    VectorClock clock = VectorClock.readFrom(both);
    byte[] value = new byte[both.remaining()];
    both.get(value);
    return new Versioned(value, clock);
  }
}
