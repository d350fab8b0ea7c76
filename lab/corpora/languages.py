"""The same few sentences in several languages, written for this project."""

SIMPLIFIED = (
    "小镇的图书馆每天早上九点开门，门口的石阶上常常坐着几位等候的老人。\n"
    "他们借走旧小说和报纸，也把自己种的西红柿分给管理员。\n"
    "昨天下午下了一场大雨，屋顶漏水，大家一起把书搬到了二楼的走廊里。\n"
)
TRADITIONAL = (
    "小鎮的圖書館每天早上九點開門，門口的石階上常常坐著幾位等候的老人。\n"
    "他們借走舊小說和報紙，也把自己種的番茄分給管理員。\n"
    "昨天下午下了一場大雨，屋頂漏水，大家一起把書搬到了二樓的走廊裡。\n"
)
JAPANESE = (
    "町の図書館は毎朝九時に開き、入り口の石段にはいつも何人かのお年寄りが座っています。\n"
    "昨日の午後は大雨が降って屋根から水が漏れ、みんなで本を二階の廊下へ運びました。\n"
)
KOREAN = (
    "마을 도서관은 매일 아침 아홉 시에 문을 열고, 입구 계단에는 늘 어르신 몇 분이 앉아 계신다.\n"
    "어제 오후에는 큰비가 내려 지붕에서 물이 새는 바람에 모두 함께 책을 이층 복도로 옮겼다.\n"
)
FRENCH = (
    "La bibliothèque du village ouvre à neuf heures ; sur l’escalier, les retraités sont déjà là.\n"
    "Hier, après l’orage, le toit a cédé et nous avons monté les livres à l’étage. Ça a duré.\n"
)
GERMAN = (
    "Die Bücherei öffnet täglich um neun; auf den Stufen warten meist schon ältere Leute.\n"
    "Gestern regnete es durchs Dach, und wir trugen alle Bücher in den Flur des Obergeschosses.\n"
)
