package io.palinode.voldemort.server;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** A socket to a node, with nothing between the test and the bytes. */
final class RawConnection implements AutoCloseable {
  private static final int READ_TIMEOUT_MS = 10_000;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;

  RawConnection(int port) throws IOException {
    this(port, InetAddress.getLoopbackAddress());
  }

  /** From another address of this machine. */
  RawConnection(int port, InetAddress from) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port, from, 0));
  }

  RawConnection(Socket connected) throws IOException {
    socket = connected;
    socket.setSoTimeout(READ_TIMEOUT_MS);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(socket.getInputStream());
    out = new DataOutputStream(socket.getOutputStream());
  }

  static RawConnection pb0(int port) throws IOException {
    return pb0(new RawConnection(port));
  }

  static RawConnection pb0(RawConnection connection) throws IOException {
    connection.send("pb0".getBytes(StandardCharsets.US_ASCII));
    String answer = connection.text(2);
    if (!answer.equals("ok")) {
      throw new IOException("a node accepts pb0: " + answer);
    }
    return connection;
  }

  <T extends MessageLite> T call(VoldemortRequest request, Parser<T> parser) throws IOException {
    send(request);
    return answer(parser);
  }

  void send(VoldemortRequest request) throws IOException {
    out.writeInt(request.getSerializedSize());
    out.write(request.toByteArray());
  }

  void send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  void sendHex(String hex) throws IOException {
    send(HexFormat.of().parseHex(hex.replace(" ", "")));
  }

  <T extends MessageLite> T answer(Parser<T> parser) throws IOException {
    return parser.parseFrom(in.readNBytes(in.readInt()));
  }

  /** The next bytes as text, fewer at the end of the connection. */
  String text(int bytes) throws IOException {
    return new String(in.readNBytes(bytes), StandardCharsets.US_ASCII);
  }

  String hex(int bytes) throws IOException {
    return HexFormat.of().formatHex(in.readNBytes(bytes));
  }

  boolean isAtEnd() throws IOException {
    try {
      return in.read() < 0;
    } catch (java.net.SocketException reset) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
