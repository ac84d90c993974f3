package io.palinode.chaos;

import com.google.protobuf.ByteString;
import io.palinode.voldemort.protocol.Frames;
import io.palinode.voldemort.protocol.Pb0;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes in Voldemort's own request format over plain sockets, as a program that does not use the
 * client library: without clocks, epochs and notices of rollbacks. For one thread.
 */
final class ForeignClient implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 2_000;
  private static final int NONE = -1;

  private final List<InetSocketAddress> addresses = new ArrayList<>();
  private final List<@Nullable Socket> sockets = new ArrayList<>();

  ForeignClient(List<String> nodes) {
    for (String node : nodes) {
      int colon = node.lastIndexOf(':');
      int port = Integer.parseInt(node.substring(colon + 1));
      addresses.add(new InetSocketAddress(node.substring(0, colon), port));
      sockets.add(null);
    }
  }

  /**
   * A write to all nodes, one after the other.
   *
   * @param node the first node that acknowledged it; -1: none did
   * @param sentMicros the wall clock before the first request
   * @param answeredMicros the wall clock after the last answer
   */
  record Written(int node, long sentMicros, long answeredMicros) {
    boolean isAcknowledged() {
      return node != NONE;
    }
  }

  /** The first version of a new key. */
  Written putNew(String key, String value) {
    long sent = nowMicros();
    Pb0.VoldemortRequest request = request(Pb0.RequestType.PUT).setPut(put(key, value)).build();
    int first = NONE;
    for (int node = 0; node < addresses.size(); node++) {
      byte[] answer = ask(node, request);
      if (answer != null && isAcknowledged(answer)) {
        first = first == NONE ? node : first;
      }
    }
    return new Written(first, sent, nowMicros());
  }

  /** Whether at least one node has the key. Null when a node does not answer. */
  @Nullable Boolean has(String key) {
    Pb0.VoldemortRequest request =
        request(Pb0.RequestType.GET)
            .setGet(Pb0.GetRequest.newBuilder().setKey(ByteString.copyFromUtf8(key)))
            .build();
    boolean found = false;
    for (int node = 0; node < addresses.size(); node++) {
      byte[] answer = ask(node, request);
      try {
        if (answer == null) {
          return null;
        }
        Pb0.GetResponse response = Pb0.GetResponse.parseFrom(answer);
        if (response.hasError()) {
          return null;
        }
        found |= response.getVersionedCount() > 0;
      } catch (IOException e) {
        return null;
      }
    }
    return found;
  }

  private Pb0.PutRequest put(String key, String value) {
    Pb0.ClockEntry first = Pb0.ClockEntry.newBuilder().setNodeId(0).setVersion(1).build();
    return Pb0.PutRequest.newBuilder()
        .setKey(ByteString.copyFromUtf8(key))
        .setVersioned(
            Pb0.Versioned.newBuilder()
                .setValue(ByteString.copyFromUtf8(value))
                .setVersion(
                    Pb0.VectorClock.newBuilder()
                        .addEntries(first)
                        .setTimestamp(System.currentTimeMillis())))
        .build();
  }

  private static Pb0.VoldemortRequest.Builder request(Pb0.RequestType type) {
    return Pb0.VoldemortRequest.newBuilder()
        .setType(type)
        .setShouldRoute(false)
        .setStore(Writer.STORE);
  }

  private static boolean isAcknowledged(byte[] answer) {
    try {
      return !Pb0.PutResponse.parseFrom(answer).hasError();
    } catch (IOException e) {
      return false;
    }
  }

  /** Null when the node does not answer; the next request connects again. */
  private byte @Nullable [] ask(int node, Pb0.VoldemortRequest request) {
    try {
      Socket socket = connected(node);
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      byte[] message = request.toByteArray();
      out.write(
          ByteBuffer.allocate(Integer.BYTES + message.length)
              .putInt(message.length)
              .put(message)
              .array());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte[] answer = new byte[in.readInt()];
      in.readFully(answer);
      return answer;
    } catch (IOException e) {
      disconnect(node);
      return null;
    }
  }

  private Socket connected(int node) throws IOException {
    Socket open = sockets.get(node);
    if (open != null) {
      return open;
    }
    Socket socket = new Socket();
    sockets.set(node, socket);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.connect(addresses.get(node), TIMEOUT_MILLIS);
    socket.getOutputStream().write(Frames.protocol());
    byte[] agreed = socket.getInputStream().readNBytes(Frames.ANSWER_BYTES);
    if (!new String(agreed, StandardCharsets.US_ASCII).equals("ok")) {
      throw new IOException("node " + node + " does not speak " + Frames.PROTOCOL);
    }
    return socket;
  }

  private void disconnect(int node) {
    Socket open = sockets.set(node, null);
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // It is not used again.
      }
    }
  }

  @Override
  public void close() {
    for (int node = 0; node < sockets.size(); node++) {
      disconnect(node);
    }
  }

  private static long nowMicros() {
    return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
  }
}
