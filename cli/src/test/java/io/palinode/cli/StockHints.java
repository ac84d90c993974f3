package io.palinode.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.cluster.StoreDefinition.Persistence;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.VectorClock;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Hints as stock servers deliver them to each other: UPDATE_SLOP_ENTRIES over the admin protocol.
 *
 * <pre>
 * "ad1" → "ok";  int length, request { 1: 20, 22: hint };  int length, hint;  …  int -1
 * hint { 1: store, 2: key, 3: version, 4: PUT, 5: value, and 1000: what our agent says along }
 * </pre>
 */
final class StockHints {
  private static final int UPDATE_SLOP_ENTRIES = 20;
  private static final int HINT = 22;
  private static final int ALONG = 1000;
  private static final int PUT = 2;
  private static final int WAIT_MILLIS = Math.toIntExact(TimeUnit.SECONDS.toMillis(60));

  private StockHints() {}

  /** A store whose clients leave hints. */
  static StoreDefinition store(String name, int nodes) {
    List<String> elements = new ArrayList<>();
    elements.add("<hinted-handoff-strategy>any-handoff</hinted-handoff-strategy>");
    StoreDefinition plain = StoreDefinition.of(name, Persistence.BDB, nodes, 2, 2);
    elements.addAll(plain.otherElements());
    return new StoreDefinition(name, Persistence.BDB, nodes, 2, 2, 2, 2, elements);
  }

  /** Takes one delivery as a server does, and answers nothing: so it comes again. */
  static List<Long> epochsOfTheFirstTwo(ServerSocket server) throws IOException {
    server.setSoTimeout(WAIT_MILLIS);
    try (Socket socket = server.accept()) {
      socket.setSoTimeout(WAIT_MILLIS);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte[] unused = in.readNBytes(3);
      socket.getOutputStream().write("ok".getBytes(US_ASCII));
      UnknownFieldSet.Builder first = UnknownFieldSet.newBuilder();
      // As protobuf merges what is there twice.
      for (ByteString part : read(in).getField(HINT).getLengthDelimitedList()) {
        first.mergeFrom(UnknownFieldSet.parseFrom(part));
      }
      return List.of(epoch(first.build()), epoch(read(in)));
    }
  }

  /**
   * Takes one delivery to its end, and ends the connection without an answer, which is a failure to
   * who delivers.
   *
   * @param refusal runs before that
   */
  static void refuse(ServerSocket server, Runnable refusal) throws IOException {
    server.setSoTimeout(WAIT_MILLIS);
    try (Socket socket = server.accept()) {
      socket.setSoTimeout(WAIT_MILLIS);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte[] unused = in.readNBytes(3);
      socket.getOutputStream().write("ok".getBytes(US_ASCII));
      for (int size = in.readInt(); size >= 0; size = in.readInt()) {
        byte[] unusedHint = in.readNBytes(size);
      }
      refusal.run();
    }
  }

  private static UnknownFieldSet read(DataInputStream in) throws IOException {
    return UnknownFieldSet.parseFrom(in.readNBytes(in.readInt()));
  }

  private static long epoch(UnknownFieldSet hint) throws IOException {
    List<ByteString> along = hint.getField(ALONG).getLengthDelimitedList();
    RequestContext context = RequestContext.parseFrom(along.get(0));
    return context.hasEpoch() ? context.getEpoch() : -1;
  }

  /** Two hints, each of an epoch; returns when the server has answered, or ended the connection. */
  static void deliver(int port, String first, long firstEpoch, String next, long nextEpoch)
      throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(WAIT_MILLIS);
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      out.write("ad1".getBytes(US_ASCII));
      byte[] unused = in.readNBytes(2);
      UnknownFieldSet request =
          UnknownFieldSet.newBuilder()
              .addField(1, Field.newBuilder().addVarint(UPDATE_SLOP_ENTRIES).build())
              .addField(HINT, text(hint(first)).addLengthDelimited(along(firstEpoch)).build())
              .build();
      write(out, request.toByteString());
      write(out, hint(next).concat(along(nextEpoch)));
      out.writeInt(-1);
      int unusedAnswer = in.read();
    } catch (IOException ended) {
      // A server that refuses a hint ends the connection, at whatever point.
    }
  }

  private static void write(DataOutputStream out, ByteString message) throws IOException {
    out.writeInt(message.size());
    message.writeTo(out);
  }

  private static ByteString hint(String key) {
    Pb0.VectorClock version = VectorClock.EMPTY.incremented(0, 1).toProto();
    return UnknownFieldSet.newBuilder()
        .addField(1, text(ByteString.copyFromUtf8("hinted")).build())
        .addField(2, text(ByteString.copyFrom(key, UTF_8)).build())
        .addField(3, text(version.toByteString()).build())
        .addField(4, Field.newBuilder().addVarint(PUT).build())
        .addField(5, text(ByteString.copyFromUtf8("v")).build())
        .build()
        .toByteString();
  }

  private static ByteString along(long epoch) {
    ByteString context = RequestContext.newBuilder().setEpoch(epoch).build().toByteString();
    return UnknownFieldSet.newBuilder()
        .addField(ALONG, text(context).build())
        .build()
        .toByteString();
  }

  private static Field.Builder text(ByteString bytes) {
    return Field.newBuilder().addLengthDelimited(bytes);
  }
}
