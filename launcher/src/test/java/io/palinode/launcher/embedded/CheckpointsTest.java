package io.palinode.launcher.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointsTest {
  @TempDir Path folder;

  @Test
  void theNewestCompleteCheckpointOfAnyJobIsTheLatest() throws IOException {
    complete("job1/chk-7", 1_000);
    Path newest = complete("job2/chk-3", 2_000);
    Files.createDirectories(folder.resolve("job2/chk-4"));
    assertThat(new Checkpoints(folder).latest()).isEqualTo(newest);
  }

  @Test
  void aDamagedCheckpointIsSkipped() throws IOException {
    Path older = complete("job1/chk-7", 1_000);
    Path newest = complete("job2/chk-3", 2_000);
    Path state = newest.resolve("state");
    SealedFilesTest.write(state, new byte[100]);
    byte[] bytes = Files.readAllBytes(state);
    bytes[50] = 1;
    Files.write(state, bytes);
    assertThat(new Checkpoints(folder).latest()).isEqualTo(older);
  }

  @Test
  void withoutACompleteCheckpointThereIsNone() throws IOException {
    Files.createDirectories(folder.resolve("job2/chk-4"));
    assertThat(new Checkpoints(folder).latest()).isNull();
    assertThat(new Checkpoints(folder.resolve("absent")).latest()).isNull();
  }

  @Test
  void otherJobsAreDeleted() throws IOException {
    complete("job1/chk-7", 1_000);
    Path newest = complete("job2/chk-3", 2_000);
    new Checkpoints(folder).deleteAllBut(newest);
    assertThat(folder).isDirectoryNotContaining("glob:**job1");
    assertThat(newest).isDirectoryContaining("glob:**_metadata");
  }

  private Path complete(String path, long millis) throws IOException {
    Path checkpoint = Files.createDirectories(folder.resolve(path));
    Path metadata = checkpoint.resolve("_metadata");
    SealedFilesTest.write(metadata, "state".getBytes(UTF_8));
    Files.setLastModifiedTime(metadata, FileTime.fromMillis(millis));
    return checkpoint;
  }
}
