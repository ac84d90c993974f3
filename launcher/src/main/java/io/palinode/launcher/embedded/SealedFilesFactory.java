package io.palinode.launcher.embedded;

import java.net.URI;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;

/** By which Flink finds {@link SealedFiles}; {@code META-INF/services} lists it. */
public final class SealedFilesFactory implements FileSystemFactory {
  @Override
  public String getScheme() {
    return SealedFiles.SCHEME;
  }

  @Override
  public FileSystem create(URI uri) {
    return new SealedFiles();
  }
}
