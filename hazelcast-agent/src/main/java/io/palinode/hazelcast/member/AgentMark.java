package io.palinode.hazelcast.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.cluster.impl.JoinRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The attribute by which members with the agent know each other: the version of what operations
 * carry, and the number of members.
 */
public final class AgentMark {
  static final String NAME = "palinode-agent";
  private static final int VERSION = 1;

  private final String value;

  AgentMark(int members) {
    this.value = "%d/%d".formatted(VERSION, members);
  }

  /** Marks a member that has not joined its cluster. */
  void put(Node node) {
    node.getLocalMember().setAttribute(NAME, value);
  }

  /** Why a member must not join; null if it may. A lite member holds no entry, as a client. */
  @Nullable String refusal(JoinRequest request) {
    return request.toMemberInfo().isLiteMember()
        ? null
        : refusal(String.valueOf(request.getAddress()), request.getAttributes().get(NAME));
  }

  /** Why a member of the cluster is not watched; null if it is. */
  @Nullable String refusal(Member member) {
    return member.isLiteMember()
        ? null
        : refusal(String.valueOf(member.getAddress()), member.getAttribute(NAME));
  }

  private @Nullable String refusal(String member, @Nullable String mark) {
    if (mark == null) {
      return "member=%s runs without the agent: start it with -javaagent:hazelcast-agent.jar"
          .formatted(member);
    }
    return Objects.equals(mark, value)
        ? null
        : "member=%s has another release of the agent, or another number of 'members': %s, not %s"
            .formatted(member, mark, value);
  }
}
