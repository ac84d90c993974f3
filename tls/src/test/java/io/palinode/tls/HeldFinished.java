package io.palinode.tls;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * Stands between a client and a server of TLS 1.3, and holds the client's {@code Finished}: the
 * server has then checked the client's certificate, and has not stored the session.
 */
final class HeldFinished implements AutoCloseable {
  private static final int APPLICATION_DATA = 23;

  /** After {@code Certificate} and {@code CertificateVerify}. */
  private static final int FINISHED = 3;

  private final ServerSocket door;
  private final int server;
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  /** Takes the next connection of {@code door}. */
  HeldFinished(ServerSocket door, int server) {
    this.door = door;
    this.server = server;
    CompletableFuture<Void> unused = CompletableFuture.runAsync(this::forward);
  }

  void awaitHeld() throws InterruptedException {
    held.await();
  }

  void release() {
    released.countDown();
  }

  private void forward() {
    try (Socket client = door.accept();
        Socket toServer = new Socket(InetAddress.getLoopbackAddress(), server)) {
      CompletableFuture<Void> unused = CompletableFuture.runAsync(() -> copy(toServer, client));
      DataInputStream in = new DataInputStream(client.getInputStream());
      OutputStream out = toServer.getOutputStream();
      int encrypted = 0;
      while (true) {
        byte[] header = in.readNBytes(5);
        if (header.length < 5) {
          return;
        }
        byte[] body = in.readNBytes(((header[3] & 0xff) << 8) | (header[4] & 0xff));
        encrypted += header[0] == APPLICATION_DATA ? 1 : 0;
        if (encrypted == FINISHED) {
          held.countDown();
          released.await();
        }
        out.write(header);
        out.write(body);
        out.flush();
      }
    } catch (IOException ended) {
      // The client or the server closed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void copy(Socket from, Socket to) {
    try (InputStream in = from.getInputStream()) {
      in.transferTo(to.getOutputStream());
    } catch (IOException ended) {
      // The client or the server closed.
    }
  }

  @Override
  public void close() {
    release();
  }
}
