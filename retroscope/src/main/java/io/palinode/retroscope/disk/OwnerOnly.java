package io.palinode.retroscope.disk;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;

/**
 * Folders of data that only their owner may read: 0700, their files 0600. A file system without
 * POSIX permissions is used as it is.
 */
public final class OwnerOnly {
  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");

  private OwnerOnly() {}

  /** Makes the folder, and each above it that is not there, with 0700. Existing ones stay. */
  public static Path createFolders(Path folder) throws IOException {
    try {
      return Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(FOLDER));
    } catch (UnsupportedOperationException noPosix) {
      return Files.createDirectories(folder);
    }
  }

  /**
   * The same, and takes all rights of group and others from the folder and all in it. Returns false
   * if some keep theirs, because another user owns them. O(files): for a start.
   */
  public static boolean claim(Path folder) throws IOException {
    Path claimed = createFolders(folder);
    boolean[] complete = {true};
    Files.walkFileTree(
        claimed,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
            complete[0] &= tighten(dir);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            complete[0] &= attributes.isSymbolicLink() || tighten(file);
            return FileVisitResult.CONTINUE;
          }

          /** It was removed meanwhile, or is another user's. */
          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            complete[0] &= !Files.exists(file);
            return FileVisitResult.CONTINUE;
          }
        });
    return complete[0];
  }

  /** False when group or others keep rights. */
  private static boolean tighten(Path path) {
    try {
      Set<PosixFilePermission> now = Files.getPosixFilePermissions(path);
      if (FOLDER.containsAll(now)) {
        return true;
      }
      Set<PosixFilePermission> owners = new HashSet<>(now);
      owners.retainAll(FOLDER);
      Files.setPosixFilePermissions(path, owners);
      return true;
    } catch (UnsupportedOperationException noPosix) {
      return true;
    } catch (IOException e) {
      return !Files.exists(path);
    }
  }
}
