package io.palinode.cli.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.api.Test;

class AgentPageTest {
  private static final String WOVEN =
      "\"woven\":[\"voldemort.store.bdb.BdbStorageEngine\",\"voldemort.store.StoreBinaryFormat\","
          + "\"voldemort.server.storage.StorageService\"]";

  @Test
  void anAgentThatReceivesAllWritesHasNoFault() throws JsonProcessingException {
    assertThat(faults("{\"joined\":true,\"covered\":true,\"off\":false," + WOVEN + "}")).isEmpty();
  }

  @Test
  void eachReasonWhyWritesAreNotReceivedIsNamed() throws JsonProcessingException {
    assertThat(faults("{\"joined\":false,\"off\":false,\"woven\":[]}"))
        .hasSize(4)
        .anyMatch(fault -> fault.contains("has not joined"))
        .anyMatch(fault -> fault.contains("BdbStorageEngine"));
  }

  @Test
  void addedStoresAreNamedWithTheWayOut() throws JsonProcessingException {
    String added = "{\"joined\":true,\"covered\":false,\"addedStores\":[\"new\"],\"off\":false,";
    assertThat(faults(added + WOVEN + "}"))
        .singleElement()
        .asString()
        .contains("[\"new\"]", "restart each server")
        .doesNotContain("has stopped");
  }

  @Test
  void theReasonForWaitingIsNamed() throws JsonProcessingException {
    assertThat(
            faults(
                "{\"joined\":false,\"covered\":false,\"notJoined\":\"no topic\",\"off\":false,"
                    + WOVEN
                    + "}"))
        .singleElement()
        .asString()
        .contains("has not joined", "no topic");
  }

  @Test
  void anAgentThatIsOffHasOneFaultAndItsReason() throws JsonProcessingException {
    assertThat(
            faults(
                "{\"joined\":true,\"covered\":false,\"off\":true,\"firstFailure\":\"a"
                    + " bug\",\"woven\":[]}"))
        .singleElement()
        .asString()
        .contains("turned itself off (a bug)", "restart its server")
        .doesNotContain("monitor");
  }

  @Test
  void aRollbackThatFailsAtTheServerIsNamedByWhatFails() throws JsonProcessingException {
    String covered = "{\"joined\":true,\"covered\":true,\"off\":false," + WOVEN;
    assertThat(faults(covered + ",\"controlFailure\":\"Restore: no space is left\"}"))
        .singleElement()
        .asString()
        .contains("Restore: no space is left", "restart the server");
    assertThat(faults(covered + ",\"controlFailure\":null}")).isEmpty();
  }

  @Test
  void aHazelcastMemberHasNoFaultOfVoldemort() throws JsonProcessingException {
    String covered = "{\"hazelcast\":\"5.7.0\",\"joined\":true,\"covered\":true,\"off\":false,";
    assertThat(faults(covered + "\"unwatched\":[]}")).isEmpty();
    assertThat(new AgentPage(new ObjectMapper().readTree(covered + "\"node\":1}")).text())
        .contains("hazelcast   5.7.0", "coverage    complete")
        .doesNotContain("voldemort");
  }

  @Test
  void whatAHazelcastMemberDoesNotObserveIsNamed() throws JsonProcessingException {
    assertThat(
            faults(
                "{\"hazelcast\":\"5.7.0\",\"joined\":true,\"covered\":false,\"off\":false,"
                    + "\"unwatched\":[\"map=cache: it has a map store\"]}"))
        .singleElement()
        .asString()
        .contains("map=cache: it has a map store", "out of 'maps'");
  }

  private static List<String> faults(String json) throws JsonProcessingException {
    return new AgentPage(new ObjectMapper().readTree(json)).faults();
  }
}
