package io.palinode.voldemort.conformance;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** A connection to a node, of any make. */
final class Wire implements AutoCloseable {
  static final String ACCEPTED = "ok";

  private final Socket socket;
  private final DataInputStream in;

  Wire(InetSocketAddress address, int patienceMs) throws IOException {
    socket = new Socket(address.getAddress(), address.getPort());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(patienceMs);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  /** The answer to a protocol's name. Anything but "ok" has to be the last word. */
  String agree(String protocol) throws IOException {
    send(protocol.getBytes(StandardCharsets.US_ASCII));
    String answer = text(ACCEPTED.length());
    return answer.equals(ACCEPTED) || isAtEnd() ? answer : answer + " and continues";
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** In as many segments as there are bytes, as far as the system lets them go so. */
  void sendByteByByte(byte[] bytes) throws IOException {
    for (byte one : bytes) {
      send(new byte[] {one});
    }
  }

  Answer read(Dialect dialect, Call.Op op) throws IOException {
    try {
      return dialect.read(op, in);
    } catch (SocketTimeoutException e) {
      return new Answer.Silence();
    } catch (EOFException | SocketException e) {
      return new Answer.Closed("");
    }
  }

  /** What comes next, as chars; fewer at the end. */
  String text(int bytes) throws IOException {
    return new String(in.readNBytes(bytes), StandardCharsets.US_ASCII);
  }

  private boolean isAtEnd() throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketException reset) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
