"""Scan a list of texts and print the groups of near-duplicates.

python scan_texts.py
"""

from simdup import scan

BRIDGE = (
    "旧桥下月起封闭维修，预计工期一百二十天。施工期间，行人和自行车可以走东侧的临时便道，机动车请绕行"
    "青石路和下河街。桥头的早市暂时搬到文化馆门前的空地，摊位费全免。市政部门说，这次维修会换掉锈蚀的"
    "栏杆，加宽人行道，桥面的石板按原样编号拆下，修好以后再一块一块铺回去。附近住户可以到桥西社区"
    "查看施工图，对夜间噪声有意见的，也可以在那里登记。"
)
FERRY = (
    "The ferry to the outer islands leaves at seven and again at noon. Passengers with bicycles "
    "board first. In strong wind the noon ferry waits in the harbour until the captain decides "
    "that the channel is safe; the cafe on the pier stays open as long as anybody waits."
)
TEA = "山上的茶园今年第一次对游客开放，采茶要起得很早，太阳出来以前叶子上还带着露水。"
TEXTS = [
    BRIDGE,
    FERRY,
    BRIDGE.replace("一百二十天", "一百五十天"),
    FERRY.upper().replace("NOON.", "NOON!"),
    TEA,
]

if __name__ == "__main__":
    found = scan((f"text {number}", text) for number, text in enumerate(TEXTS, 1))
    for cluster in found.clusters:
        print(f"group {cluster.number}: " + ", ".join(member.name for member in cluster.members))
        for pair in cluster.pairs:
            print(f"  {pair.a} and {pair.b}: {pair.similarity:.0%} of their 5-grams are shared")
    print("alone: " + ", ".join(found.unique))
