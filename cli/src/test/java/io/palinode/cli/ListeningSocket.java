package io.palinode.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** A TCP port on which a process listens, read from Linux's {@code /proc}. */
public record ListeningSocket(InetAddress address, int port) {
  private static final String LISTEN = "0A";
  private static final int ANSWER_MS = 2_000;

  public static List<ListeningSocket> of(Process process) throws IOException {
    Path proc = Path.of("/proc", Long.toString(process.pid()));
    Set<String> inodes = inodes(proc.resolve("fd"));
    List<ListeningSocket> sockets = new ArrayList<>();
    for (String table : List.of("tcp", "tcp6")) {
      Path path = proc.resolve("net").resolve(table);
      for (String line : Files.exists(path) ? Files.readAllLines(path) : List.<String>of()) {
        String[] row = line.trim().split("\\s+", -1);
        if (row.length > 9 && row[3].equals(LISTEN) && inodes.contains(row[9])) {
          sockets.add(parse(row[1]));
        }
      }
    }
    return sockets;
  }

  public boolean isLoopback() {
    byte[] bytes = address.getAddress();
    boolean isMappedIpv4 = bytes.length == 16 && bytes[10] == -1 && bytes[11] == -1;
    return address.isLoopbackAddress() || (isMappedIpv4 && bytes[12] == 127);
  }

  /** Such as {@code 0100007F:1A0A}: words of four bytes, the least byte first. */
  private static ListeningSocket parse(String text) throws UnknownHostException {
    String[] parts = text.split(":", -1);
    byte[] words = HexFormat.of().parseHex(parts[0]);
    byte[] address = new byte[words.length];
    for (int i = 0; i < words.length; i++) {
      address[i] = words[i / 4 * 4 + 3 - i % 4];
    }
    return new ListeningSocket(InetAddress.getByAddress(address), Integer.parseInt(parts[1], 16));
  }

  private static Set<String> inodes(Path open) throws IOException {
    Set<String> inodes = new HashSet<>();
    try (Stream<Path> files = Files.list(open)) {
      for (Path file : files.toList()) {
        try {
          String target = Files.readSymbolicLink(file).toString();
          if (target.startsWith("socket:[")) {
            inodes.add(target.substring("socket:[".length(), target.length() - 1));
          }
        } catch (IOException closedMeanwhile) {
          // It is no listening socket.
        }
      }
    }
    return inodes;
  }

  /** What it answers to a request that lists Flink's jobs; empty: nothing. */
  String answerToHttp() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_MS);
      socket.setSoTimeout(ANSWER_MS);
      socket
          .getOutputStream()
          .write(
              "GET /jobs HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      return new String(in.readNBytes(16), StandardCharsets.US_ASCII);
    } catch (IOException closedOrSilent) {
      return "";
    }
  }
}
