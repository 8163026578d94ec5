// The lessons: a scenario each, three sentences, two things to try, and what is to be seen.
//
// Numbers are those of the program, `backwater sim SCENARIO --set ...`: goodput over the second half of the last phase (the table
// "Goodput by phase", `phases.csv`), to the digits shown. The page sets its own run beside them, and `cargo xtask test-web` compares.

/** A goodput that a lesson states. */
export interface Stated {
  /** Name of the flow or group; `total` for all flows. */
  name: string;
  /** Goodput in Gb/s, as text with the digits that count. */
  gbps: string;
}

/** What a run of a lesson shows. */
export interface Sight {
  /** Settings of the run. */
  sets: string[];
  /** A sentence or two on what is to be seen. */
  see: string;
  /** Goodputs; none for a run that does not come to its end. */
  stated: Stated[];
  /** How the run ends, if not with results. */
  ends?: "deadlock" | "fault";
}

/** A lesson. */
export interface Lesson {
  id: string;
  title: string;
  scenario: string;
  sentences: [string, string, string];
  base: Sight;
  /** Two things to try: a button each, whose run stands beside that of the lesson. */
  tries: [Tried, Tried];
}

/** A thing to try. */
export type Tried = Sight & { label: string };

const OFF = "congestion_control=Off";

/** Returns what a run shows. `goodputs` are in Gb/s, as text with the digits that count. */
function sight(sets: string[], see: string, goodputs: Record<string, string>): Sight {
  return { sets, see, stated: Object.entries(goodputs).map(([name, gbps]) => ({ name, gbps })) };
}

/** Returns a thing to try. */
function tried(label: string, sets: string[], see: string, goodputs: Record<string, string>): Tried {
  return { label, ...sight(sets, see, goodputs) };
}

export const LESSONS: Lesson[] = [
  {
    id: "head-of-line-blocking", title: "Head-of-line blocking", scenario: "victim",
    sentences: [
      "Two flows, `victim` and `far`, share the trunk, the link between the switches, which is fast enough for both; only `far` goes on to a host that a third flow, `near`, sends to as well.",
      "From 20 ms on, `far` gets half of that host's link, and its packets wait in the buffer at the end of the trunk.",
      "A link that is never allowed to drop a packet must stop when that buffer is full, and so the packets of `victim` behind them wait too, for a congestion to which they do not contribute.",
    ],
    base: sight([OFF],
      "All three flows get the same, although the link of `victim`'s destination is half empty. The figure of the fabric has the congestion tree: its root, the output that is asked for more than it can send, is S2's port to H5, and the host of `victim` has the square of a victim.",
      { victim: "7.90", far: "7.90", near: "7.90" }),
    tries: [
      tried("Switch congestion control on", [],
        "S2 marks the packets that wait for H5, H5 notifies their sources, which send more slowly for a while, and the buffer drains: `victim` has its rate back. It costs `far` and `near` about a fifth of their sum.",
        { victim: "15.79", far: "5.96", near: "6.30" }),
      tried("Make the buffers four times as large", [OFF, "switch.buffer=\"128 KiB\""],
        "It takes longer until the buffer is full, and then everything is as before. A larger buffer delays head-of-line blocking, and does not end it.",
        { victim: "7.90", far: "7.90", near: "7.90" }),
    ],
  },
  {
    id: "parking-lot", title: "The parking lot", scenario: "gran2011-scenario1",
    sentences: [
      "F2 and F3 come over a trunk to the host H5, F4 and F5 from hosts beside it, and the switch at H5 serves its inputs in turn.",
      "A turn is that of an input, not of a flow: the flows that share the trunk share one turn, as cars that leave the far end of a parking lot share one lane with those that join it nearer to the exit.",
      "F1 is on the trunk as well, but goes to an idle host: it gets no more than the flows behind which it waits.",
    ],
    base: sight([OFF],
      "F4 and F5 get twice as much as F2 and F3 each, and F1, which competes with nobody, gets no more than F2.",
      { F1: "2.20", F2: "2.20", F3: "2.20", F4: "4.40", F5: "4.40" }),
    tries: [
      tried("Switch congestion control on", [],
        "Each of the four sources is told by itself, and has a quarter of H5's link; F1 is free.",
        { F1: "12.91", F2: "3.38", F3: "3.31", F4: "3.32", F5: "3.20" }),
      tried("Take the guideline's parameters", ["congestion_control=Guideline"],
        "The parameters that Pfister and others proposed in 2005 are as fair to F2 to F5, but mark later: the buffer of the trunk still fills at times, and F1 keeps two thirds of its rate.",
        { F1: "8.88", F2: "3.33", F3: "3.30", F4: "3.29", F5: "3.28" }),
    ],
  },
  {
    id: "tree-saturation", title: "Tree saturation", scenario: "zhu2015-victim",
    sentences: [
      "Six hosts of two racks send to one host in rack 4, more than its link takes: that link is the root of a congestion tree.",
      "When the memory of the switch at the root is full, that switch pauses the switches before it, whose memories fill in turn, until the tree reaches the hosts: tree saturation.",
      "`victim` goes from rack 1 to rack 2, and meets the tree at the uplinks of its own rack, five switches away from the root.",
    ],
    base: sight([OFF],
      "Play the figure of the fabric from its beginning: the root is T4's port to H45, and branches grow from it over the spines, the switches between racks, to the leaves, the switches of racks, and into rack 1. The victim has less than half of its link.",
      { victim: "15.60", total: "52.50" }),
    tries: [
      tried("Give the switches 8 MB instead of 12", [OFF, "switch.memory=\"8 MB\""],
        "Headroom, the room for packets that are still under way when a pause is sent, takes 5.7 MB first, and two thirds of the shared room are gone: the tree reaches rack 1 sooner and holds it for longer, and the victim falls to the rate of a contributor.",
        { victim: "3.75", total: "40.65" }),
      tried("Switch DCQCN on", [],
        "DCQCN is the congestion control of many Ethernet fabrics: switches mark, and sources slow down before the memory at the root is full. No switch is paused, there is no tree, and more gets through in all.",
        { victim: "25.72", total: "62.56" }),
    ],
  },
  {
    id: "marking-and-response", title: "Marking rules and source responses", scenario: "santos2003-branch",
    sentences: [
      "A switch can mark packets that only wait for others: those at a branch of the tree, where the queue is long because the root is far away and has no room.",
      "The rule decides: by the state of outputs, a switch marks at an output that is itself the bottleneck; by the state of inputs, it marks whatever goes to an output for which a full buffer holds packets.",
      "The source cannot tell these marks apart, and its response, here a lowest rate of a sixteenth of the link, holds contributors and victims back alike.",
    ],
    base: sight([],
      "By the state of outputs, A's end of the trunk is no root, and `victim` is not marked there. It waits, since twenty flows at their lowest rate still ask for more than C1 takes, but has several times the share of a contributor.",
      { victim: "2.29", remote1: "0.29", local1: "0.49" }),
    tries: [
      tried("Mark by the state of inputs", ["congestion_control.marking.set=Selective(Input)"],
        "The victim is marked as if it were a contributor, falls to the lowest rate of 0.49 Gb/s, and the trunk is idle for more than half of the time. The contributors gain nothing.",
        { victim: "0.49", remote1: "0.29", local1: "0.49" }),
      tried("Switch congestion control off", [OFF],
        "Without any response the victim is slower than by the state of outputs, and faster than by that of inputs: a wrong rule is worse for it than none. The ten remote flows share one turn of eleven, the parking lot again.",
        { victim: "0.72", remote1: "0.07", local1: "0.72" }),
    ],
  },
  {
    id: "pfc-victims", title: "The victims of PFC", scenario: "roce-victim",
    sentences: [
      "Over Ethernet, Priority Flow Control prevents loss: a switch that runs out of room sends PAUSE to its neighbour.",
      "PAUSE stops a priority of a link, not a flow: H1 sends F1 to the busy host and V to an idle one, and each PAUSE stops both.",
      "V could use the two thirds of H1's link that F1 leaves.",
    ],
    base: sight([],
      "V has no more than F1. The table below the fabric names V as the victim of the tree at S's port to H4, and F1, F2 and F3 as its contributors.",
      { F1: "12.09", F2: "12.38", F3: "12.42", V: "12.08" }),
    tries: [
      tried("Do without PFC", ["link.flow_control=Lossy"],
        "V is free. The switch drops packets instead, their sources send each of them and everything after it again (go-back-N), and the three flows to H4 share less than half of what they had.",
        { F1: "4.41", F2: "4.11", F3: "8.35", V: "29.22" }),
      tried("Add DCQCN", ["congestion_control=Dcqcn(preset: Recommended)"],
        "PFC stays, and is not needed: sources slow down by marks, there is no PAUSE, and V has three quarters of its link. Within 5 ms the rates have not settled.",
        { F1: "6.17", F2: "11.08", F3: "11.08", V: "30.73" }),
    ],
  },
  {
    id: "dcqcn-parameters", title: "DCQCN's parameters", scenario: "conext2016-join",
    sentences: [
      "Under DCQCN, a congestion control for Ethernet, a source cuts its rate by up to a half when notifications arrive, and climbs again in steps: five towards its former rate, then by a fixed amount each, R_AI.",
      "Here F3 joins two flows at 100 ms, at the rate of its link, and all three come together at a third of the trunk.",
      "R_AI decides how long this takes: fairness comes from many rounds of cuts, which take from the fast what the steps then give to all.",
    ],
    base: sight([],
      "Look at the goodput from 100 ms on: F3 climbs to four fifths of its share within 30 ms, and to all of it within 60.",
      { F1: "12.52", F2: "12.81", F3: "11.54" }),
    tries: [
      tried("A quarter of the step", ["congestion_control.response.additive_increase=\"10 Mb/s\""],
        "F3 climbs by about 1 Gb/s in 10 ms, and has not caught up 100 ms later. The sum of the three is the same.",
        { F1: "13.32", F2: "13.82", F3: "9.73" }),
      tried("Ten times the step", ["congestion_control.response.additive_increase=\"400 Mb/s\""],
        "F3 has four fifths of its share within 10 ms. The price is that its goodput swings almost twice as much afterwards.",
        { F1: "12.58", F2: "12.36", F3: "11.74" }),
    ],
  },
  {
    id: "deadlock-in-a-ring", title: "Deadlock in a ring", scenario: "ring",
    sentences: [
      "Seven switches stand in a ring, and the host of each sends to the host three switches on.",
      "A packet keeps its buffer until the next switch has room; if all packets go round one way, each buffer of the ring can wait for the next, and the last for the first.",
      "Up/down routing forbids one turn in the ring, so that no circle of waits can close.",
    ],
    base: sight([],
      "Every flow moves, though unequally: some go the long way round, and the flows that share a link with many others get little.",
      { F1: "0.53", F4: "4.18", total: "17.06" }),
    tries: [
      { ...tried("Send all packets the short way, and allow circles", ["routing=MinHop", "dependency_cycles=Allowed"],
        "Within 100 us all seven buffers are full, and nothing can ever move again. The simulator proves it, and names the circle: s1 waits for s2, and so on to s7, which waits for s1.",
        {}), ends: "deadlock" },
      tried("Send all packets the short way, on two lanes", ["routing=DimensionOrder", "link.data_lanes=2"],
        "Each lane of a link has a buffer of its own. Packets that pass the ring's last link are on the second, and the circle is open: the short way is safe with two lanes.",
        { F1: "1.19", F4: "3.55", total: "16.19" }),
    ],
  },
];
