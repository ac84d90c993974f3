package io.palinode.voldemort.bdb;

import com.sleepycat.je.DatabaseException;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.util.DbVerifyLog;
import com.sleepycat.je.util.LogVerificationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * The operator's ways out of a damaged store of a stopped node. Moved files are never removed:
 *
 * <pre>
 * node-0/
 *   damaged-1/  bdb/, window-log/ and STORE-END as found
 * </pre>
 */
public final class Recovery {
  private static final String ASIDE = "damaged-";

  private final DataFolder folder;

  /**
   * The result of a check.
   *
   * @param damage one sentence; empty if the store is complete
   * @param commits the commits in the store; 0 if it cannot be read
   */
  public record Finding(String damage, long commits) {
    public boolean isWhole() {
      return damage.isEmpty();
    }
  }

  /** For a folder that this process holds. */
  public Recovery(DataFolder folder) {
    this.folder = folder;
  }

  /** Reads the store's whole log and compares its commit counts. Changes nothing. */
  public Finding look() {
    try (ReadOnlyStore store = ReadOnlyStore.open(folder.bdb())) {
      new DbVerifyLog(store.environment()).verifyAll();
      return CommitCount.look(store.database(CommitCount.DATABASE), folder);
    } catch (LogVerificationException | DatabaseException e) {
      return new Finding("the store in %s cannot be read (%s)".formatted(folder.bdb(), e), 0);
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  /**
   * Moves the store aside: the node begins empty, and serves after all keys were compared with the
   * other replicas. Returns the new folder.
   */
  public Path rebuild() {
    try {
      folder.awaitRepair(0);
      Path aside = fresh();
      for (Path each : List.of(folder.bdb(), folder.windowLogs(), folder.storeEnd())) {
        if (Files.exists(each)) {
          Files.move(each, aside.resolve(each.getFileName().toString()));
        }
      }
      return aside;
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  /**
   * Keeps the records before the damage, and a copy of all files aside; the past begins again.
   * Returns the folder of the copy. Throws {@link DataFolderException} if no record can be read.
   */
  public Path keep() {
    try {
      Path aside = fresh();
      copy(folder.bdb(), Files.createDirectories(aside.resolve(folder.bdb().getFileName())));
      cut();
      for (Path each : List.of(folder.windowLogs(), folder.storeEnd())) {
        if (Files.exists(each)) {
          Files.move(each, aside.resolve(each.getFileName().toString()));
        }
      }
      return aside;
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  /** Berkeley DB's recovery truncates its log at damage after the last checkpoint. */
  private void cut() {
    EnvironmentConfig config = new EnvironmentConfig();
    config.setTransactional(true);
    config.setConfigParam(EnvironmentConfig.HALT_ON_COMMIT_AFTER_CHECKSUMEXCEPTION, "false");
    config.setConfigParam(EnvironmentConfig.STATS_COLLECT, "false");
    try (var cut = new com.sleepycat.je.Environment(folder.bdb().toFile(), config)) {
      new DbVerifyLog(cut).verifyAll();
    } catch (DatabaseException | IOException e) {
      throw new DataFolderException(
          "the store in %s cannot be kept (%s): use --rebuild".formatted(folder.bdb(), e), e);
    }
  }

  private Path fresh() throws IOException {
    int number = 1;
    while (Files.exists(folder.bdb().resolveSibling(ASIDE + number))) {
      number++;
    }
    return Files.createDirectories(folder.bdb().resolveSibling(ASIDE + number));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (var files = Files.list(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(
            file, to.resolve(file.getFileName().toString()), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  private DataFolderException unusable(IOException e) {
    return new DataFolderException(
        "the folder of %s cannot be used (%s): give this user the right to write it"
            .formatted(folder.bdb(), e),
        e);
  }
}
