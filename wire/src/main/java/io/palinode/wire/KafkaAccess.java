package io.palinode.wire;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.Resource;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/** The least rights in Kafka that each part needs, on a broker with an authorizer. */
public enum KafkaAccess {
  /** A store node, or the agent of a stock server. */
  NODE {
    @Override
    void add(Topics topics, Rights rights) {
      rights.topic(AclOperation.READ, topics.predicates());
      rights.topic(AclOperation.READ, topics.control());
      rights.topic(AclOperation.WRITE, topics.control());
      rights.topic(AclOperation.WRITE, topics.candidates());
    }
  },
  /** The detection job. */
  DETECTION {
    @Override
    void add(Topics topics, Rights rights) {
      rights.topic(AclOperation.READ, topics.candidates());
      rights.topic(AclOperation.READ, topics.predicates());
      // The nodes' epsilon, at the start.
      rights.topic(AclOperation.READ, topics.control());
      rights.topic(AclOperation.WRITE, topics.violations());
    }
  },
  /** An orchestrator. It is the part that may create the topics. */
  ORCHESTRATOR {
    @Override
    void add(Topics topics, Rights rights) {
      rights.topic(AclOperation.READ, topics.violations());
      rights.topic(AclOperation.READ, topics.predicates());
      rights.topic(AclOperation.READ, topics.control());
      // For the neighbourhood of a violation only.
      rights.topic(AclOperation.READ, topics.candidates());
      rights.topic(AclOperation.WRITE, topics.predicates());
      rights.topic(AclOperation.WRITE, topics.control());
      rights.topic(AclOperation.WRITE, topics.audit());
      for (String topic : topics.all()) {
        rights.topic(AclOperation.CREATE, topic);
        // For 'palinode doctor' only.
        rights.topic(AclOperation.DESCRIBE_CONFIGS, topic);
      }
      rights.add(AclOperation.READ, ResourceType.GROUP, topics.election());
      // The free space of brokers' disks, for 'palinode doctor' only.
      rights.add(AclOperation.DESCRIBE, ResourceType.CLUSTER, Resource.CLUSTER_NAME);
    }
  };

  abstract void add(Topics topics, Rights rights);

  /**
   * The rights of this part, each allowed from any host.
   *
   * @param principal such as {@code User:node}
   */
  public List<AclBinding> bindings(Topics topics, String principal) {
    Rights rights = new Rights(principal);
    for (String topic : topics.all()) {
      rights.topic(AclOperation.DESCRIBE, topic);
    }
    add(topics, rights);
    return List.copyOf(rights.all);
  }

  /**
   * The rights of an orchestrator whose alerts go to {@code topic}, each allowed from any host. It
   * may create the topic.
   */
  public static List<AclBinding> alerts(String topic, String principal) {
    Rights rights = new Rights(principal);
    rights.topic(AclOperation.DESCRIBE, topic);
    rights.topic(AclOperation.WRITE, topic);
    rights.topic(AclOperation.CREATE, topic);
    return List.copyOf(rights.all);
  }

  /** The rights of one principal. */
  static final class Rights {
    private static final String ANY_HOST = "*";

    private final String principal;
    private final List<AclBinding> all = new ArrayList<>();

    private Rights(String principal) {
      this.principal = principal;
    }

    private void topic(AclOperation operation, String topic) {
      add(operation, ResourceType.TOPIC, topic);
    }

    private void add(AclOperation operation, ResourceType type, String name) {
      all.add(
          new AclBinding(
              new ResourcePattern(type, name, PatternType.LITERAL),
              new AccessControlEntry(principal, ANY_HOST, operation, AclPermissionType.ALLOW)));
    }
  }
}
