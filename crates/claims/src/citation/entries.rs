//! Entries of papers and standards.
//!
//! Invariant: an entry repeats the title page of its source. A DOI stands only where the source has one.
//!
//! Not found in a second source: the workshop of `pfister2005`, the year of `hp2001`, the number of `karol1987`. The DOI
//! of `ahn2009` stands beside another title, too.

use core::fmt::{self, Display, Formatter};

/// An entry of BibTeX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Key.
    pub(super) key: &'static str,
    kind: &'static str,
    fields: &'static [(&'static str, &'static str)],
}

impl Display for Entry {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "@{}{{{},", self.kind, self.key)?;
        for (name, value) in self.fields {
            writeln!(f, "  {name} = {{{value}}},")?;
        }
        writeln!(f, "}}")
    }
}

macro_rules! entries {
    ($($kind:ident $key:literal { $($field:ident: $value:literal),* $(,)? })*) => {
        &[$(Entry { key: $key, kind: stringify!($kind), fields: &[$((stringify!($field), $value)),*] }),*]
    };
}

/// All entries.
pub(super) const ENTRIES: &[Entry] = entries! {
    inproceedings "gran2011" {
        author: "Ernst Gunnar Gran and Sven-Arne Reinemo",
        title: "{InfiniBand} Congestion Control: Modelling and Validation",
        booktitle: "4th International {ICST} Conference on Simulation Tools and Techniques ({SIMUTools}), {OMNeT++} Workshop",
        pages: "390--397",
        year: "2011",
        doi: "10.4108/icst.simutools.2011.245509",
    }
    inproceedings "pfister2005" {
        author: "Gregory Pfister and Mitch Gusat and Wolfgang Denzel and David Craddock and Nan Ni and Wes Rooney and Ton Engbersen and Ronald Luijten and Raj Krishnamurthy and Jos{\\'e} Duato",
        title: "Solving Hot Spot Contention Using {InfiniBand} Architecture Congestion Control",
        booktitle: "Workshop on High Performance Interconnects for Distributed Computing (HPI-DC)",
        year: "2005",
    }
    article "pfister1985" {
        author: "Gregory F. Pfister and V. Alan Norton",
        title: "``Hot Spot'' Contention and Combining in Multistage Interconnection Networks",
        journal: "IEEE Transactions on Computers",
        volume: "C-34",
        number: "10",
        pages: "943--948",
        year: "1985",
        doi: "10.1109/TC.1985.6312198",
    }
    misc "ibta" {
        author: "{InfiniBand Trade Association}",
        title: "{InfiniBand} Architecture Specification, Volume 1",
        edition: "Release 1.2.1",
        year: "2007",
        note: "Annex A10: congestion control",
    }
    misc "rocev2" {
        author: "{InfiniBand Trade Association}",
        title: "Supplement to {InfiniBand} Architecture Specification Volume 1, Annex A17: {RoCEv2}",
        year: "2014",
    }
    misc "pfc" {
        author: "{IEEE}",
        title: "{IEEE} Std 802.1Qbb-2011: Priority-based Flow Control",
        year: "2011",
    }
    misc "hp2001" {
        author: "{Hewlett-Packard}",
        title: "{InfiniBand} Congestion Control: {HP} Proposal",
        howpublished: "Slides to the InfiniBand Trade Association",
        year: "2001",
    }
    inproceedings "santos2002" {
        author: "Jose Renato Santos and Yoshio Turner and G. Janakiraman",
        title: "Evaluation of Congestion Detection Mechanisms for {InfiniBand} Switches",
        booktitle: "IEEE Global Telecommunications Conference (GLOBECOM)",
        year: "2002",
    }
    inproceedings "santos2003" {
        author: "Jose Renato Santos and Yoshio Turner and G. Janakiraman",
        title: "End-to-End Congestion Control for {InfiniBand}",
        booktitle: "IEEE INFOCOM",
        pages: "1123--1133",
        year: "2003",
        doi: "10.1109/INFCOM.2003.1208949",
    }
    inproceedings "zhu2015" {
        author: "Yibo Zhu and Haggai Eran and Daniel Firestone and Chuanxiong Guo and Marina Lipshteyn and Yehonatan Liron and Jitendra Padhye and Shachar Raindel and Mohamad Haj Yahia and Ming Zhang",
        title: "Congestion Control for Large-Scale {RDMA} Deployments",
        booktitle: "ACM SIGCOMM",
        pages: "523--536",
        year: "2015",
        doi: "10.1145/2785956.2787484",
    }
    inproceedings "zhu2016" {
        author: "Yibo Zhu and Monia Ghobadi and Vishal Misra and Jitendra Padhye",
        title: "{ECN} or Delay: Lessons Learnt from Analysis of {DCQCN} and {TIMELY}",
        booktitle: "ACM CoNEXT",
        pages: "313--327",
        year: "2016",
        doi: "10.1145/2999572.2999593",
    }
    inproceedings "li2019" {
        author: "Yuliang Li and Rui Miao and Hongqiang Harry Liu and Yan Zhuang and Fei Feng and Lingbo Tang and Zheng Cao and Ming Zhang and Frank Kelly and Mohammad Alizadeh and Minlan Yu",
        title: "{HPCC}: High Precision Congestion Control",
        booktitle: "ACM SIGCOMM",
        pages: "44--58",
        year: "2019",
        doi: "10.1145/3341302.3342085",
    }
    article "floyd1993" {
        author: "Sally Floyd and Van Jacobson",
        title: "Random Early Detection Gateways for Congestion Avoidance",
        journal: "IEEE/ACM Transactions on Networking",
        volume: "1",
        number: "4",
        pages: "397--413",
        year: "1993",
        doi: "10.1109/90.251892",
    }
    article "karol1987" {
        author: "Mark J. Karol and Michael G. Hluchyj and Samuel P. Morgan",
        title: "Input Versus Output Queueing on a Space-Division Packet Switch",
        journal: "IEEE Transactions on Communications",
        volume: "35",
        number: "12",
        pages: "1347--1356",
        year: "1987",
        doi: "10.1109/TCOM.1987.1096719",
    }
    article "mckeown1999" {
        author: "Nick McKeown",
        title: "The {iSLIP} Scheduling Algorithm for Input-Queued Switches",
        journal: "IEEE/ACM Transactions on Networking",
        volume: "7",
        number: "2",
        pages: "188--201",
        year: "1999",
        doi: "10.1109/90.769767",
    }
    inproceedings "dai2000" {
        author: "J. G. Dai and Balaji Prabhakar",
        title: "The Throughput of Data Switches with and without Speedup",
        booktitle: "IEEE INFOCOM",
        volume: "2",
        pages: "556--564",
        year: "2000",
        doi: "10.1109/INFCOM.2000.832229",
    }
    article "choudhury1998" {
        author: "Abhijit K. Choudhury and Ellen L. Hahne",
        title: "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches",
        journal: "IEEE/ACM Transactions on Networking",
        volume: "6",
        number: "2",
        pages: "130--140",
        year: "1998",
        doi: "10.1109/90.664262",
    }
    article "clos1953" {
        author: "Charles Clos",
        title: "A Study of Non-Blocking Switching Networks",
        journal: "Bell System Technical Journal",
        volume: "32",
        number: "2",
        pages: "406--424",
        year: "1953",
        doi: "10.1002/j.1538-7305.1953.tb01433.x",
    }
    article "leiserson1985" {
        author: "Charles E. Leiserson",
        title: "Fat-Trees: Universal Networks for Hardware-Efficient Supercomputing",
        journal: "IEEE Transactions on Computers",
        volume: "C-34",
        number: "10",
        pages: "892--901",
        year: "1985",
        doi: "10.1109/TC.1985.6312192",
    }
    techreport "zahavi2010" {
        author: "Eitan Zahavi",
        title: "{D-Mod-K} Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees",
        institution: "Technion",
        number: "CCIT 776",
        year: "2010",
    }
    inproceedings "petrini1997" {
        author: "Fabrizio Petrini and Marco Vanneschi",
        title: "k-ary n-trees: High Performance Networks for Massively Parallel Architectures",
        booktitle: "11th International Parallel Processing Symposium (IPPS)",
        pages: "87--93",
        year: "1997",
        doi: "10.1109/IPPS.1997.580853",
    }
    article "lawrie1975" {
        author: "Duncan H. Lawrie",
        title: "Access and Alignment of Data in an Array Processor",
        journal: "IEEE Transactions on Computers",
        volume: "C-24",
        number: "12",
        pages: "1145--1155",
        year: "1975",
        doi: "10.1109/T-C.1975.224157",
    }
    book "dally2004" {
        author: "William J. Dally and Brian Towles",
        title: "Principles and Practices of Interconnection Networks",
        publisher: "Morgan Kaufmann",
        year: "2004",
    }
    inproceedings "ahn2009" {
        author: "Jung Ho Ahn and Nathan Binkert and Al Davis and Moray McLaren and Robert S. Schreiber",
        title: "{HyperX}: Topology, Routing, and Packaging of Efficient Large-Scale Networks",
        booktitle: "Conference on High Performance Computing Networking, Storage and Analysis (SC)",
        pages: "1--11",
        year: "2009",
        doi: "10.1145/1654059.1654101",
    }
    inproceedings "kim2008" {
        author: "John Kim and William J. Dally and Steve Scott and Dennis Abts",
        title: "Technology-Driven, Highly-Scalable Dragonfly Topology",
        booktitle: "35th International Symposium on Computer Architecture (ISCA)",
        pages: "77--88",
        year: "2008",
        doi: "10.1109/ISCA.2008.19",
    }
    article "schroeder1991" {
        author: "Michael D. Schroeder and Andrew D. Birrell and Michael Burrows and Hal Murray and Roger M. Needham and Thomas L. Rodeheffer and Edwin H. Satterthwaite and Charles P. Thacker",
        title: "Autonet: A High-Speed, Self-Configuring Local Area Network Using Point-to-Point Links",
        journal: "IEEE Journal on Selected Areas in Communications",
        volume: "9",
        number: "8",
        pages: "1318--1335",
        year: "1991",
        doi: "10.1109/49.105178",
    }
    misc "rfc2992" {
        author: "Christian E. Hopps",
        title: "Analysis of an Equal-Cost Multi-Path Algorithm",
        howpublished: "RFC 2992",
        year: "2000",
        doi: "10.17487/RFC2992",
    }
    inproceedings "valiant1981" {
        author: "Leslie G. Valiant and Gordon J. Brebner",
        title: "Universal Schemes for Parallel Communication",
        booktitle: "13th Annual {ACM} Symposium on Theory of Computing (STOC)",
        pages: "263--277",
        year: "1981",
        doi: "10.1145/800076.802479",
    }
    article "valiant1982" {
        author: "Leslie G. Valiant",
        title: "A Scheme for Fast Parallel Communication",
        journal: "SIAM Journal on Computing",
        volume: "11",
        number: "2",
        pages: "350--361",
        year: "1982",
        doi: "10.1137/0211027",
    }
    phdthesis "singh2005" {
        author: "Arjun Singh",
        title: "Load-Balanced Routing in Interconnection Networks",
        school: "Stanford University",
        year: "2005",
    }
    inproceedings "jiang2009" {
        author: "Nan Jiang and John Kim and William J. Dally",
        title: "Indirect Adaptive Routing on Large Scale Interconnection Networks",
        booktitle: "36th International Symposium on Computer Architecture (ISCA)",
        pages: "220--231",
        year: "2009",
        doi: "10.1145/1555754.1555783",
    }
    article "mitzenmacher2001" {
        author: "Michael Mitzenmacher",
        title: "The Power of Two Choices in Randomized Load Balancing",
        journal: "IEEE Transactions on Parallel and Distributed Systems",
        volume: "12",
        number: "10",
        pages: "1094--1104",
        year: "2001",
        doi: "10.1109/71.963420",
    }
    inproceedings "vanini2017" {
        author: "Erico Vanini and Rong Pan and Mohammad Alizadeh and Parvin Taheri and Tom Edsall",
        title: "Let It Flow: Resilient Asymmetric Load Balancing with Flowlet Switching",
        booktitle: "14th {USENIX} Symposium on Networked Systems Design and Implementation (NSDI)",
        pages: "407--420",
        year: "2017",
    }
    misc "bonato2024" {
        author: "Tommaso Bonato and Abdul Kabbani and Ahmad Ghalayini and Michael Papamichael and \
                 Mohammad Dohadwala and Lukas Gianinazzi and Mikhail Khalilov and Elias Achermann and \
                 Daniele De Sensi and Torsten Hoefler",
        title: "{REPS}: Recycled Entropy Packet Spraying for Adaptive Load Balancing and Failure Mitigation",
        howpublished: "arXiv:2407.21625",
        year: "2024",
    }
    inproceedings "mittal2018" {
        author: "Radhika Mittal and Alexander Shpiner and Aurojit Panda and Eitan Zahavi and \
                 Arvind Krishnamurthy and Sylvia Ratnasamy and Scott Shenker",
        title: "Revisiting Network Support for {RDMA}",
        booktitle: "ACM SIGCOMM",
        pages: "313--326",
        year: "2018",
        doi: "10.1145/3230543.3230557",
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_an_author_a_title_and_a_year() {
        for entry in ENTRIES {
            let field = |name| entry.fields.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
            assert!(field("author").is_some() && field("title").is_some(), "{}", entry.key);
            let year: u32 = field("year").and_then(|year| year.parse().ok()).expect(entry.key);
            // A key that has a year has the entry's.
            let of_key = entry.key.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
            assert!((1950..=2026).contains(&year), "{}", entry.key);
            assert!(
                of_key.parse().is_ok_and(|of_key: u32| of_key == year)
                    || of_key.len() != 4
                    || entry.key.starts_with("rfc"),
                "{}",
                entry.key
            );
        }
    }
}
