package io.palinode.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.demo.report.CpuUse.Part;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class MachineThreadsTest {
  private final MachineThreads threads = new MachineThreads();

  @Test
  void theCompilersThreadsAreListedWithTheirTimes() {
    List<Long> ids = threads.ids();
    assertThat(ids).extracting(threads::part).contains(Part.COMPILER);
    assertThat(ids).allSatisfy(id -> assertThat(MachineThreads.cpuTime(id)).isNotNegative());
    assertThat(ids.stream().mapToLong(MachineThreads::cpuTime).sum()).isPositive();
  }

  @Test
  void aThreadThatHasEndedHasNoTime() {
    assertThat(MachineThreads.cpuTime(Long.MAX_VALUE)).isEqualTo(-1);
  }
}
