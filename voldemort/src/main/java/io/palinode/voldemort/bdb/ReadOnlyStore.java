package io.palinode.voldemort.bdb;

import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store opened for reading only: nothing in its folder changes. */
record ReadOnlyStore(Environment environment, List<Database> opened) implements AutoCloseable {

  /** Throws {@link com.sleepycat.je.DatabaseException}. */
  static ReadOnlyStore open(Path folder) {
    EnvironmentConfig config = new EnvironmentConfig();
    config.setReadOnly(true).setTransactional(true);
    config.setConfigParam(EnvironmentConfig.HALT_ON_COMMIT_AFTER_CHECKSUMEXCEPTION, "true");
    config.setConfigParam(EnvironmentConfig.STATS_COLLECT, "false");
    return new ReadOnlyStore(new Environment(folder.toFile(), config), new ArrayList<>());
  }

  /** Null if there is no such database. */
  @Nullable Database database(String name) {
    if (!environment.getDatabaseNames().contains(name)) {
      return null;
    }
    DatabaseConfig config =
        new DatabaseConfig().setReadOnly(true).setTransactional(true).setKeyPrefixing(true);
    Database database = environment.openDatabase(null, name, config);
    opened.add(database);
    return database;
  }

  @Override
  public void close() {
    opened.forEach(Database::close);
    environment.close();
  }
}
