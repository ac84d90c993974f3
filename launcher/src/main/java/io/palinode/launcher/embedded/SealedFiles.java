package io.palinode.launcher.embedded;

import java.io.IOException;
import java.net.URI;
import java.util.zip.CRC32C;
import org.apache.flink.core.fs.BlockLocation;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.local.LocalFileSystem;

/**
 * Local files as Flink sees them, each a {@link SealedFile}. Flink stores checkpoints without
 * checksums, so one changed bit could hide a violation. Thread-safe.
 */
final class SealedFiles extends FileSystem {
  static final String SCHEME = "sealed";
  private static final LocalFileSystem LOCAL = LocalFileSystem.getSharedInstance();

  /** The address of an absolute path in this file system. */
  static String address(java.nio.file.Path path) {
    return new Path(SCHEME, "", path.toString()).toUri().toString();
  }

  @Override
  public FSDataOutputStream create(Path path, WriteMode mode) throws IOException {
    FSDataOutputStream out = LOCAL.create(path, mode);
    out.write(SealedFile.header());
    return new Output(out);
  }

  /** Throws {@link IOException} if the file is damaged. Reads it twice. */
  @Override
  public FSDataInputStream open(Path path) throws IOException {
    SealedFile.verify(LOCAL.pathToFile(path).toPath());
    Input in = new Input(LOCAL.open(path), getFileStatus(path).getLen());
    in.seek(0);
    return in;
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return open(path);
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return new Status(LOCAL.getFileStatus(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    FileStatus[] found = LOCAL.listStatus(path);
    if (found != null) {
      for (int i = 0; i < found.length; i++) {
        found[i] = new Status(found[i]);
      }
    }
    return found;
  }

  @Override
  public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length) {
    return new BlockLocation[0];
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return LOCAL.delete(path, recursive);
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    return LOCAL.mkdirs(path);
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    return LOCAL.rename(from, to);
  }

  @Override
  public Path getWorkingDirectory() {
    return here(LOCAL.getWorkingDirectory());
  }

  @Override
  public Path getHomeDirectory() {
    return here(LOCAL.getHomeDirectory());
  }

  @Override
  public URI getUri() {
    return URI.create(SCHEME + ":///");
  }

  @Override
  public boolean isDistributedFS() {
    return false;
  }

  private static Path here(Path local) {
    return new Path(SCHEME, "", local.getPath());
  }

  /** Without header and seal. */
  private record Status(FileStatus local) implements FileStatus {
    @Override
    public long getLen() {
      long content = local.getLen() - SealedFile.HEADER_BYTES - SealedFile.SEAL_BYTES;
      return isDir() ? local.getLen() : Math.max(0, content);
    }

    @Override
    public Path getPath() {
      return here(local.getPath());
    }

    @Override
    public long getBlockSize() {
      return local.getBlockSize();
    }

    @Override
    public short getReplication() {
      return local.getReplication();
    }

    @Override
    public long getModificationTime() {
      return local.getModificationTime();
    }

    @Override
    public long getAccessTime() {
      return local.getAccessTime();
    }

    @Override
    public boolean isDir() {
      return local.isDir();
    }
  }

  /** For one thread. */
  private static final class Output extends FSDataOutputStream {
    private final FSDataOutputStream local;
    private final CRC32C crc = new CRC32C();
    private boolean closed;

    Output(FSDataOutputStream local) {
      this.local = local;
    }

    @Override
    public void write(int b) throws IOException {
      crc.update(b);
      local.write(b);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      crc.update(bytes, from, length);
      local.write(bytes, from, length);
    }

    @Override
    public long getPos() throws IOException {
      return local.getPos() - SealedFile.HEADER_BYTES;
    }

    @Override
    public void flush() throws IOException {
      local.flush();
    }

    @Override
    public void sync() throws IOException {
      local.sync();
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      try {
        local.write(SealedFile.seal(crc));
      } finally {
        local.close();
      }
    }
  }

  /** For one thread. */
  private static final class Input extends FSDataInputStream {
    private final FSDataInputStream local;
    private final long length;

    Input(FSDataInputStream local, long length) {
      this.local = local;
      this.length = length;
    }

    @Override
    public void seek(long position) throws IOException {
      local.seek(position + SealedFile.HEADER_BYTES);
    }

    @Override
    public long getPos() throws IOException {
      return local.getPos() - SealedFile.HEADER_BYTES;
    }

    @Override
    public int read() throws IOException {
      return getPos() < length ? local.read() : -1;
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
      long left = length - getPos();
      return left <= 0 && count > 0 ? -1 : local.read(bytes, from, (int) Math.min(left, count));
    }

    @Override
    public int available() throws IOException {
      return (int) Math.min(Integer.MAX_VALUE, length - getPos());
    }

    @Override
    public void close() throws IOException {
      local.close();
    }
  }
}
