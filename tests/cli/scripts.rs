//! One page in ten scripts: the same blocks stay in all of them.

use super::Sandbox;

/// A page in one language. Texts with `|` between them.
struct Page {
    language: &'static str,
    menu: &'static str,
    headline: &'static str,
    byline: &'static str,
    paragraphs: &'static str,
    more: &'static str,
    teasers: &'static str,
    foot: &'static str,
}

const PAGES: [Page; 10] = [
    Page {
        language: "en",
        menu: "Home|News|Harbour|Weather|Sport|Contact",
        headline: "The old ferry sails again",
        byline: "By Ada Kern, 5 March 2024",
        paragraphs: "After two years in the yard, the old ferry left the harbour again on Tuesday morning. About three hundred people stood on the quay and waved.|The captain said that the engine was quieter than before. He had feared that nobody would come, because it was cold and it rained.|The town paid half of the repair, and the other half came from the people who live on the island. They need the ship to bring their children to school.|From next week on, the ferry leaves every morning at seven. Tickets cost as much as they did before the repair.",
        more: "More from the harbour",
        teasers: "A new crane for the dock|Fishermen ask for a lower fee|The lighthouse gets a new lamp|Who paints the boats?",
        foot: "Imprint|Privacy|All rights reserved",
    },
    Page {
        language: "el",
        menu: "Αρχική|Νέα|Λιμάνι|Καιρός|Αθλητικά|Επικοινωνία",
        headline: "Το παλιό φέρι ταξιδεύει ξανά",
        byline: "Της Άντας Κερν, 5 Μαρτίου 2024",
        paragraphs: "Ύστερα από δύο χρόνια στο ναυπηγείο, το παλιό φέρι έφυγε ξανά από το λιμάνι το πρωί της Τρίτης. Περίπου τριακόσιοι άνθρωποι στέκονταν στην προβλήτα και χαιρετούσαν.|Ο καπετάνιος είπε ότι η μηχανή είναι πιο ήσυχη από πριν. Φοβόταν ότι δεν θα έρθει κανείς, επειδή έκανε κρύο και έβρεχε.|Η πόλη πλήρωσε τη μισή επισκευή, και την άλλη μισή οι άνθρωποι που ζουν στο νησί. Χρειάζονται το πλοίο για να πηγαίνουν τα παιδιά τους στο σχολείο.|Από την επόμενη εβδομάδα το φέρι φεύγει κάθε πρωί στις επτά. Τα εισιτήρια κοστίζουν όσο και πριν από την επισκευή.",
        more: "Περισσότερα από το λιμάνι",
        teasers: "Νέος γερανός για την αποβάθρα|Οι ψαράδες ζητούν μικρότερο τέλος|Ο φάρος παίρνει νέα λάμπα|Ποιος βάφει τις βάρκες;",
        foot: "Ταυτότητα|Απόρρητο|Με επιφύλαξη παντός δικαιώματος",
    },
    Page {
        language: "ru",
        menu: "Главная|Новости|Порт|Погода|Спорт|Контакты",
        headline: "Старый паром снова ходит",
        byline: "Ада Керн, 5 марта 2024",
        paragraphs: "После двух лет на верфи старый паром во вторник утром снова вышел из порта. Около трёхсот человек стояли на причале и махали ему вслед.|Капитан сказал, что двигатель теперь тише, чем раньше. Он боялся, что никто не придёт, потому что было холодно и шёл дождь.|Половину ремонта оплатил город, а другую половину собрали люди, которые живут на острове. Корабль нужен им, чтобы возить детей в школу.|Со следующей недели паром отходит каждое утро в семь часов. Билеты стоят столько же, сколько до ремонта.",
        more: "Ещё о порте",
        teasers: "Новый кран для дока|Рыбаки просят снизить сбор|Маяк получит новую лампу|Кто красит лодки?",
        foot: "О нас|Конфиденциальность|Все права защищены",
    },
    Page {
        language: "ar",
        menu: "الرئيسية|أخبار|الميناء|الطقس|رياضة|اتصل بنا",
        headline: "العبّارة القديمة تبحر من جديد",
        byline: "بقلم آدا كيرن، 5 مارس 2024",
        paragraphs: "بعد عامين في حوض السفن غادرت العبّارة القديمة الميناء من جديد صباح يوم الثلاثاء. وقف نحو ثلاثمئة شخص على الرصيف ولوّحوا لها بأيديهم.|قال القبطان إن المحرك صار أهدأ مما كان عليه من قبل. وكان يخشى ألا يأتي أحد، لأن الجو كان باردا والمطر كان ينزل.|دفعت المدينة نصف تكاليف الإصلاح، وجاء النصف الآخر من الناس الذين يعيشون في الجزيرة. فهم يحتاجون إلى السفينة لكي يذهب أطفالهم إلى المدرسة.|ابتداء من الأسبوع القادم تغادر العبّارة كل صباح في الساعة السابعة. وثمن التذاكر هو نفسه كما كان قبل الإصلاح.",
        more: "المزيد عن الميناء",
        teasers: "رافعة جديدة للرصيف|الصيادون يطلبون رسوما أقل|المنارة تحصل على مصباح جديد|من يدهن القوارب؟",
        foot: "من نحن|الخصوصية|جميع الحقوق محفوظة",
    },
    Page {
        language: "he",
        menu: "ראשי|חדשות|נמל|מזג אוויר|ספורט|צור קשר",
        headline: "המעבורת הישנה שטה שוב",
        byline: "מאת עדה קרן, 5 במרץ 2024",
        paragraphs: "אחרי שנתיים במספנה יצאה המעבורת הישנה שוב מהנמל ביום שלישי בבוקר. כשלוש מאות אנשים עמדו על הרציף ונופפו לה לשלום.|רב החובל אמר שהמנוע שקט יותר מאשר בעבר. הוא חשש שאיש לא יבוא, כי היה קר וירד גשם כל הבוקר.|העירייה שילמה חצי מהתיקון, ואת החצי השני שילמו האנשים שגרים באי. הם צריכים את האונייה כדי להביא את ילדיהם לבית הספר.|החל מהשבוע הבא יוצאת המעבורת כל בוקר בשעה שבע. הכרטיסים עולים כמו שעלו לפני התיקון.",
        more: "עוד מהנמל",
        teasers: "עגורן חדש לרציף|הדייגים מבקשים אגרה נמוכה יותר|המגדלור מקבל מנורה חדשה|מי צובע את הסירות?",
        foot: "אודות|פרטיות|כל הזכויות שמורות",
    },
    Page {
        language: "hi",
        menu: "मुखपृष्ठ|समाचार|बंदरगाह|मौसम|खेल|संपर्क",
        headline: "पुरानी नाव फिर चल पड़ी",
        byline: "आदा केर्न, 5 मार्च 2024",
        paragraphs: "दो साल तक कारखाने में रहने के बाद पुरानी नाव मंगलवार की सुबह फिर बंदरगाह से निकली। लगभग तीन सौ लोग घाट पर खड़े थे और हाथ हिला रहे थे।|कप्तान ने कहा कि इंजन अब पहले से अधिक शांत है। उन्हें डर था कि कोई नहीं आएगा, क्योंकि ठंड थी और बारिश हो रही थी।|मरम्मत का आधा खर्च शहर ने दिया, और बाकी आधा द्वीप पर रहने वाले लोगों ने दिया। उन्हें अपने बच्चों को स्कूल भेजने के लिए इस नाव की ज़रूरत है।|अगले सप्ताह से नाव हर सुबह सात बजे चलेगी। टिकट उतने ही के हैं जितने के मरम्मत से पहले थे।",
        more: "बंदरगाह से और",
        teasers: "घाट के लिए नई क्रेन|मछुआरे कम शुल्क चाहते हैं|प्रकाशस्तंभ को नया दीपक मिला|नावों को कौन रंगता है?",
        foot: "हमारे बारे में|गोपनीयता|सर्वाधिकार सुरक्षित",
    },
    Page {
        language: "th",
        menu: "หน้าแรก|ข่าว|ท่าเรือ|อากาศ|กีฬา|ติดต่อ",
        headline: "เรือข้ามฟากลำเก่าออกแล่นอีกครั้ง",
        byline: "โดย เอดา เคิร์น 5 มีนาคม 2024",
        paragraphs: "หลังจากอยู่ในอู่ต่อเรือนานสองปี เรือข้ามฟากลำเก่าก็ออกจากท่าอีกครั้งเมื่อเช้าวันอังคาร มีคนประมาณสามร้อยคนยืนโบกมืออยู่บนท่าเรือ|กัปตันบอกว่าเครื่องยนต์เงียบกว่าแต่ก่อนมาก เขากลัวว่าจะไม่มีใครมาเพราะอากาศหนาวและฝนตกตลอดทั้งเช้า|เมืองจ่ายค่าซ่อมครึ่งหนึ่ง และอีกครึ่งหนึ่งมาจากคนที่อาศัยอยู่บนเกาะ พวกเขาต้องใช้เรือลำนี้พาลูกไปโรงเรียนทุกวัน|ตั้งแต่สัปดาห์หน้าเรือจะออกทุกเช้าเวลาเจ็ดโมง ราคาตั๋วเท่ากับก่อนการซ่อมทุกประการ",
        more: "เรื่องอื่นจากท่าเรือ",
        teasers: "ปั้นจั่นใหม่ที่ท่าเรือ|ชาวประมงขอลดค่าธรรมเนียม|ประภาคารได้โคมไฟใหม่|ใครทาสีเรือ",
        foot: "เกี่ยวกับเรา|ความเป็นส่วนตัว|สงวนลิขสิทธิ์",
    },
    Page {
        language: "zh",
        menu: "首页|新闻|港口|天气|体育|联系我们",
        headline: "老渡轮再次启航",
        byline: "艾达·克恩 2024年3月5日",
        paragraphs: "在船厂停留两年之后，老渡轮星期二早上再次驶出港口。大约三百人站在码头上，向它挥手告别。|船长说，发动机比以前安静多了。他原来担心没有人会来，因为天气很冷，又下着雨。|修理费的一半由市政府支付，另一半来自住在岛上的居民。他们需要这艘船送孩子去上学。|从下星期开始，渡轮每天早上七点出发。船票的价格和修理以前一样。",
        more: "更多港口消息",
        teasers: "码头的新起重机|渔民要求降低费用|灯塔换上新灯|谁来给船上漆？",
        foot: "关于我们|隐私|版权所有",
    },
    Page {
        language: "ja",
        menu: "ホーム|ニュース|港|天気|スポーツ|お問い合わせ",
        headline: "古い連絡船がふたたび出航",
        byline: "アダ・カーン 2024年3月5日",
        paragraphs: "造船所で二年を過ごした古い連絡船が、火曜日の朝にふたたび港を出た。およそ三百人が岸壁に立ち、手を振って見送った。|船長によると、エンジンは以前より静かになったという。寒くて雨も降っていたので、だれも来ないのではないかと心配していた。|修理費の半分は町が払い、残りの半分は島に住む人びとが出した。子どもたちを学校へ通わせるために、この船が必要なのだ。|来週からは毎朝七時に出航する。切符の値段は修理の前と変わらない。",
        more: "港のほかの記事",
        teasers: "波止場に新しいクレーン|漁師が料金の引き下げを求める|灯台に新しいランプ|船を塗るのはだれか",
        foot: "会社概要|プライバシー|無断転載を禁じます",
    },
    Page {
        language: "ko",
        menu: "홈|뉴스|항구|날씨|스포츠|문의",
        headline: "낡은 연락선이 다시 떠나다",
        byline: "에이다 컨 2024년 3월 5일",
        paragraphs: "조선소에서 두 해를 보낸 낡은 연락선이 화요일 아침 다시 항구를 떠났다. 삼백 명가량의 사람들이 부두에 서서 손을 흔들었다.|선장은 엔진이 예전보다 조용해졌다고 말했다. 춥고 비까지 내려서 아무도 오지 않을까 걱정했다고 한다.|수리비의 절반은 시가 냈고 나머지 절반은 섬에 사는 사람들이 모았다. 아이들을 학교에 보내려면 이 배가 꼭 필요하기 때문이다.|다음 주부터 연락선은 매일 아침 일곱 시에 떠난다. 표 값은 수리하기 전과 같다.",
        more: "항구의 다른 소식",
        teasers: "부두에 새 기중기|어부들이 요금을 내려 달라고 한다|등대에 새 등불|누가 배를 칠하는가",
        foot: "회사 소개|개인정보|모든 권리 보유",
    },
];

impl Page {
    fn html(&self) -> String {
        let each = |texts: &str, before: &str, after: &str| -> String {
            texts.split('|').map(|text| format!("{before}{text}{after}\n")).collect()
        };
        let Page { language, headline, byline, more, .. } = self;
        format!(
            "<!doctype html><html lang={language}><meta charset=utf-8><title>{headline}</title>\n\
             <header><ul class=menu>{}</ul></header>\n<article><h1>{headline}</h1><p class=byline>{byline}</p>\n{}</article>\n\
             <section class=b7><h3>{more}</h3><ul>{}</ul></section>\n<footer>{}</footer></html>",
            each(self.menu, "<li><a href=/>", "</a></li>"),
            each(self.paragraphs, "<p>", "</p>"),
            each(self.teasers, "<li><a href=/x><img src=a.jpg alt=''> <span>", "</span></a></li>"),
            each(self.foot, "<a href=/>", "</a>"),
        )
    }

    /// The blocks that may stay, each with a name.
    fn blocks(&self) -> Vec<(String, &'static str)> {
        let each = |name: &'static str, texts: &'static str| {
            texts.split('|').enumerate().map(move |(number, text)| (format!("{name} {number}"), text))
        };
        let one = |name: &'static str, text| [(name.to_owned(), text)].into_iter();
        (each("menu", self.menu).chain(one("headline", self.headline)).chain(one("byline", self.byline)))
            .chain(each("paragraph", self.paragraphs))
            .chain(one("more", self.more))
            .chain(each("teaser", self.teasers))
            .chain(each("foot", self.foot))
            .collect()
    }
}

#[test]
fn the_same_blocks_stay_in_every_script() {
    let sandbox = Sandbox::new();
    for page in &PAGES {
        sandbox.write("s/page.html", page.html());
        let output = sandbox.expect(0, "extract s/page.html --byline keep").stdout;
        let lines: Vec<&str> = output.lines().collect();
        let kept: Vec<String> =
            page.blocks().into_iter().filter(|(_, text)| lines.contains(text)).map(|(name, _)| name).collect();
        let expected = ["headline", "byline", "paragraph 0", "paragraph 1", "paragraph 2", "paragraph 3"];
        assert_eq!(kept, expected, "{}: {output}", page.language);
    }
}
