package io.palinode.voldemort.bdb;

import com.sleepycat.je.DatabaseException;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.util.DbVerifyLog;
import com.sleepycat.je.util.LogVerificationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What an operator can do about a damaged store while its node is stopped. What is put aside is
 * never removed:
 *
 * <pre>
 * node-0/
 *   damaged-1/  bdb/, window-log/ and STORE-END as they were found
 * </pre>
 */
public final class Recovery {
  private static final String ASIDE = "damaged-";

  private final DataFolder folder;

  /**
   * What was found.
   *
   * @param damage one sentence; empty: the store is whole
   * @param commits that the store holds; 0: it cannot be read
   */
  public record Finding(String damage, long commits) {
    public boolean isWhole() {
      return damage.isEmpty();
    }
  }

  /** Of a folder that this process holds. */
  public Recovery(DataFolder folder) {
    this.folder = folder;
  }

  /** Reads all of the store's log, and compares its count of commits. Changes nothing. */
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

  /** Puts the store aside: the node begins empty. Returns where it is. */
  public Path rebuild() {
    try {
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
   * Keeps what comes before the damage; a copy of all is put aside, and the past begins again.
   * Returns where it is. Throws {@link DataFolderException} when no record can be read.
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

  /** Recovery of Berkeley DB cuts its log at the damage, if that is behind the last checkpoint. */
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
        Files.copy(file, to.resolve(file.getFileName().toString()));
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
