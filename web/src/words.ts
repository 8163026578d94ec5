// The words of the field that the page uses, each in a sentence.
import { element } from "../../crates/page/src/script/dom.js";

/** Word and meaning. */
const WORDS: [string, string][] = [
  ["Fabric", "Hosts and switches with the links between them. Each end of a link is a port; a port's sending half is an output."],
  ["RDMA", "Remote direct memory access: a host writes into the memory of another without its processor. InfiniBand is made for it; RoCEv2 is RDMA over Ethernet."],
  ["Trunk", "A link between two switches."],
  ["Path", "The links that a packet takes. A switch with several ports towards a host chooses one: by a hash of the flow, so that all of its packets take one path; in turn (spraying); or by load (adaptive routing)."],
  ["Flow", "Packets from one host to another. Its goodput is the payload that arrives, in bits a second. A phase is a part of a run in which the same flows send."],
  ["Message", "Data that a host posts to be sent as one piece; it is cut into packets."],
  ["Lossless", "No packet is dropped: a link stops while the buffer at its far end is full. InfiniBand counts the free room in credits; Ethernet sends PAUSE (Priority Flow Control, PFC)."],
  ["Lane", "A link may be divided into lanes, each with a buffer of its own: virtual lanes of InfiniBand, priorities of Ethernet."],
  ["Queue", "The bytes that wait in a switch for an output."],
  ["Load and stall", "The load of a link is the share of its capacity that is used. A link is stalled while packets wait for it and may not start."],
  ["Head-of-line blocking", "A packet that could go on waits behind one that cannot."],
  ["Congestion tree", "The root is an output that more packets want than it can send. Branches are the links that lead to it and fill up behind it."],
  ["Contributor and victim", "A contributor is a flow that goes through the root. A victim is a flow that does not, and waits behind them all the same."],
  ["Congestion control", "Switches mark packets that meet a queue, destinations notify the sources of these, and sources send more slowly for a while. IBA names that of InfiniBand; DCQCN is one for Ethernet (RoCEv2)."],
  ["Marks and rates", "Marks are the packets that switches marked. The rate is the most that congestion control allows a flow."],
  ["Jain's index", "A measure of fairness: 1 if all flows get the same, and 1/n if one of n flows gets everything."],
  ["Digest", "A number made from everything that happened in a run. The same scenario and seed give the same digest on any machine."],
];

/** Returns the words, to be opened. */
export function wordList(): HTMLElement {
  return element("details", { class: "words" }, element("summary", {}, "Words of this page"),
    element("dl", {}, WORDS.flatMap(([word, meaning]) => [element("dt", {}, word), element("dd", {}, meaning)])));
}
